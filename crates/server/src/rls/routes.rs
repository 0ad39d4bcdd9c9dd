//! Which path leads to which service.

use std::{convert::Infallible, future::Future, net::IpAddr, pin::Pin, sync::Arc, time::Duration};

use http::{Request, Response};
use hyper::{body::Incoming, service::Service};
use tokio::time::timeout;
use tollgate_rls::DESCRIPTORS;
use tonic::{Status, codegen::Service as TowerService};
use tonic_health::pb::{FILE_DESCRIPTOR_SET, health_server::HealthServer};
use tonic_reflection::server::Builder;

use super::{
    health::NodeHealth,
    serve::Connection,
    service::Rls,
    unary::{Body, Unary},
};
use crate::{identity::Trust, listen::Peer, stop::Stop};

/// The services of one listener.
#[derive(Clone)]
pub(super) struct Services {
    unary: Arc<Unary>,
    rest: Arc<[Route]>,
    /// Ends what would never end.
    stop: Stop,
}

/// The same for one connection.
pub(super) struct Routes {
    services: Services,
    connection: Arc<Connection>,
    /// What its peer is worth.
    trust: Trust,
    /// Where it is.
    peer: Option<IpAddr>,
}

/// A service that is not asked often.
struct Route {
    name: &'static str,
    serve: Box<dyn Fn(Request<Incoming>) -> Asked + Send + Sync>,
}

type Asked = Answering<tonic::body::Body>;
type Answering<B> = Pin<Box<dyn Future<Output = Result<Response<B>, Infallible>> + Send>>;

const ASK: &str = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
/// The bytes of a question about health, or about the services themselves.
const MESSAGE_BYTES_MAX: usize = 4 << 10;

impl Services {
    pub(super) fn new(rls: Arc<Rls>, health: NodeHealth, request: Duration, stop: Stop) -> Self {
        let known = || {
            Builder::configure()
                .register_encoded_file_descriptor_set(DESCRIPTORS)
                .register_encoded_file_descriptor_set(FILE_DESCRIPTOR_SET)
        };
        let health = HealthServer::new(health).max_decoding_message_size(MESSAGE_BYTES_MAX);
        let reflection = known().build_v1().ok().map(|service| {
            let service = service.max_decoding_message_size(MESSAGE_BYTES_MAX);
            Route::new("grpc.reflection.v1.ServerReflection", service)
        });
        // Older clients know no other.
        let older = known().build_v1alpha().ok().map(|service| {
            let service = service.max_decoding_message_size(MESSAGE_BYTES_MAX);
            Route::new("grpc.reflection.v1alpha.ServerReflection", service)
        });
        let health = Some(Route::new("grpc.health.v1.Health", health));
        Self {
            unary: Arc::new(Unary::new(rls, request)),
            rest: [health, reflection, older].into_iter().flatten().collect(),
            stop,
        }
    }

    /// For one connection.
    pub(super) fn of(&self, peer: &Peer, connection: Connection) -> Routes {
        Routes {
            services: self.clone(),
            connection: Arc::new(connection),
            trust: self.unary.rls.identifier.trust(peer),
            peer: Some(peer.address.ip()),
        }
    }

    fn rest(&self, request: Request<Incoming>) -> Answering<Body> {
        let service = request.uri().path().split('/').nth(1).unwrap_or_default();
        let Some(route) = self.rest.iter().find(|route| route.name == service) else {
            let unknown =
                format!("there is no such method here, only {ASK}, health and reflection");
            return Box::pin(async { Ok(Status::unimplemented(unknown).into_http()) });
        };
        let answered = timeout(self.unary.request, (route.serve)(request));
        let stop = self.stop.clone();
        Box::pin(async move {
            let Ok(answer) = answered.await else {
                let slow = "the request took too long to arrive: send it again";
                return Ok(Status::deadline_exceeded(slow).into_http());
            };
            answer.map(|answer| answer.map(|body| Body::until(body, stop)))
        })
    }
}

impl Route {
    fn new<S>(name: &'static str, service: S) -> Self
    where
        S: TowerService<
                Request<Incoming>,
                Response = Response<tonic::body::Body>,
                Error = Infallible,
            >,
        S: Clone + Send + Sync + 'static,
        S::Future: Send + 'static,
    {
        let serve = move |request| -> Asked { Box::pin(service.clone().call(request)) };
        Self { name, serve: Box::new(serve) }
    }
}

impl Service<Request<Incoming>> for Routes {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answering<Body>;

    fn call(&self, request: Request<Incoming>) -> Answering<Body> {
        if request.uri().path() != ASK {
            return self.services.rest(request);
        }
        let unary = Arc::clone(&self.services.unary);
        let connection = Arc::clone(&self.connection);
        let caller = (self.trust, self.peer);
        Box::pin(async move { Ok(unary.call(request, &connection, caller).await) })
    }
}
