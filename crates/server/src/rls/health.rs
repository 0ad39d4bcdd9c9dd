//! gRPC's own way to ask how a server is.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::time::{Interval, interval};
use tonic::{Request, Response, Status, codegen::tokio_stream::Stream};
use tonic_health::pb::{
    HealthCheckRequest, HealthCheckResponse, health_check_response::ServingStatus,
    health_server::Health,
};

use crate::{health::Condition, stop::Stop};

/// How the node fares.
pub(super) type ReadCondition = Arc<dyn Fn() -> Condition + Send + Sync>;

/// Says whether the node can decide.
#[derive(Clone)]
pub(super) struct NodeHealth {
    read: ReadCondition,
    stop: Stop,
}

/// How often those who watch are told of a change.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// What can be asked about: all of it, or the one service.
const SERVICES: [&str; 2] = ["", tollgate_rls::server::SERVICE_NAME];

impl NodeHealth {
    pub(super) fn new(read: ReadCondition, stop: Stop) -> Self {
        Self { read, stop }
    }

    fn status(&self) -> ServingStatus {
        if (self.read)().is_ready() && !self.stop.is_given() {
            ServingStatus::Serving
        } else {
            ServingStatus::NotServing
        }
    }
}

#[tonic::async_trait]
impl Health for NodeHealth {
    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        let service = &request.get_ref().service;
        if !SERVICES.contains(&service.as_str()) {
            let [_, known] = SERVICES;
            let hint = format!("there is no such service here, only {known}");
            return Err(Status::not_found(hint));
        }
        Ok(Response::new(reply(self.status())))
    }

    type WatchStream = Watch;

    async fn watch(&self, request: Request<HealthCheckRequest>) -> Result<Response<Watch>, Status> {
        let service = &request.get_ref().service;
        Ok(Response::new(Watch {
            health: SERVICES.contains(&service.as_str()).then(|| self.clone()),
            told: None,
            every: interval(LOOK_EVERY),
            stopping: Box::pin({
                let mut stop = self.stop.clone();
                async move { stop.heard().await }
            }),
            is_stopping: false,
        }))
    }
}

fn reply(status: ServingStatus) -> HealthCheckResponse {
    HealthCheckResponse { status: status.into() }
}

/// Tells the status at first, and then whenever it has changed.
pub(super) struct Watch {
    /// None of a service that is not here: it may come with another release.
    health: Option<NodeHealth>,
    told: Option<ServingStatus>,
    every: Interval,
    stopping: Pin<Box<dyn Future<Output = ()> + Send>>,
    is_stopping: bool,
}

impl Stream for Watch {
    type Item = Result<HealthCheckResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            self.is_stopping = self.is_stopping || self.stopping.as_mut().poll(context).is_ready();
            if !self.is_stopping {
                ready!(self.every.poll_tick(context));
            }
            let health = self.health.as_ref();
            let status = health.map_or(ServingStatus::ServiceUnknown, NodeHealth::status);
            if self.told != Some(status) {
                self.told = Some(status);
                return Poll::Ready(Some(Ok(reply(status))));
            }
            if self.is_stopping {
                return Poll::Ready(None);
            }
        }
    }
}
