//! Which path leads to which service.

use std::{convert::Infallible, future::Future, pin::Pin, sync::Arc, time::Duration};

use http::{Request, Response};
use hyper::{body::Incoming, service::Service};
use tokio::time::timeout;
use tollgate_rls::{DESCRIPTORS, server::RateLimitServiceServer};
use tonic::{Status, body::Body, codegen::Service as TowerService};
use tonic_health::pb::{FILE_DESCRIPTOR_SET, health_server::HealthServer};
use tonic_reflection::server::Builder;

use super::{health::NodeHealth, service::Rls};

/// The services of one listener.
#[derive(Clone)]
pub(super) struct Routes {
    rls: RateLimitServiceServer<Rls>,
    rest: Arc<[Route]>,
    /// From a request's head to its answer; streams that tell news have no end.
    request: Duration,
}

/// A service that is not asked often.
struct Route {
    name: &'static str,
    serve: Box<dyn Fn(Request<Incoming>) -> Served + Send + Sync>,
}

type Served = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

/// The bytes of one question. What Envoy asks takes some hundreds, but a client may send a header of 60 KiB that many
/// descriptors are made from; were the question refused, Envoy would let it pass.
const MESSAGE_BYTES_MAX: usize = 1 << 20;
const RLS: &str = tollgate_rls::server::SERVICE_NAME;

impl Routes {
    pub(super) fn new(rls: Arc<Rls>, health: NodeHealth, request: Duration) -> Self {
        let known = || {
            Builder::configure()
                .register_encoded_file_descriptor_set(DESCRIPTORS)
                .register_encoded_file_descriptor_set(FILE_DESCRIPTOR_SET)
        };
        let health = HealthServer::new(health);
        let reflection = known().build_v1().ok();
        // Older clients know no other.
        let older = known().build_v1alpha().ok();
        let rest = [
            Some(Route::new("grpc.health.v1.Health", health)),
            reflection.map(|service| Route::new("grpc.reflection.v1.ServerReflection", service)),
            older.map(|service| Route::new("grpc.reflection.v1alpha.ServerReflection", service)),
        ];
        Self {
            rls: RateLimitServiceServer::from_arc(rls).max_decoding_message_size(MESSAGE_BYTES_MAX),
            rest: rest.into_iter().flatten().collect(),
            request,
        }
    }
}

impl Route {
    fn new<S>(name: &'static str, service: S) -> Self
    where
        S: TowerService<Request<Incoming>, Response = Response<Body>, Error = Infallible>,
        S: Clone + Send + Sync + 'static,
        S::Future: Send + 'static,
    {
        let serve = move |request| -> Served { Box::pin(service.clone().call(request)) };
        Self {
            name,
            serve: Box::new(serve),
        }
    }
}

impl Service<Request<Incoming>> for Routes {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Served;

    fn call(&self, request: Request<Incoming>) -> Served {
        let service = request.uri().path().split('/').nth(1).unwrap_or_default();
        if service == RLS {
            let answered = timeout(self.request, self.rls.clone().call(request));
            return Box::pin(async move {
                answered.await.unwrap_or_else(|_| {
                    let slow = "the request took too long to arrive: send it again";
                    Ok(Status::deadline_exceeded(slow).into_http())
                })
            });
        }
        if let Some(route) = self.rest.iter().find(|route| route.name == service) {
            return (route.serve)(request);
        }
        let unknown = format!("there is no such service here, only {RLS}, health and reflection");
        Box::pin(async { Ok(Status::unimplemented(unknown).into_http()) })
    }
}
