//! Connections to the admin side.

use std::{net::SocketAddr, sync::Arc};

use axum::Router;
use tokio::net::TcpStream;

use super::{AdminState, Health, Sources, TopKey, router, serve_connection};
use crate::{
    authority::Door, listen::Serve, rules::Shown, server::Parts, stop::Stop, telemetry::Protocol,
};

/// Serves connections to the admin side.
#[derive(Debug)]
pub(crate) struct AdminServe {
    router: Router,
}

impl AdminServe {
    pub(crate) fn new(parts: &Parts) -> Self {
        let settings = &parts.settings;
        let state = AdminState {
            engine: Arc::clone(&parts.engine),
            catalog: parts.catalog.clone(),
            authority: (*parts.authority).clone(),
            door: Door::of(settings.listen.admin),
            owner: settings.owner.clone(),
            hosts: Vec::new(),
            node: settings.node.clone(),
            region: settings.region.clone(),
            sources: sources(parts),
        };
        Self {
            router: router(state),
        }
    }
}

fn sources(parts: &Parts) -> Sources {
    let health = parts.health.clone();
    let live = Arc::clone(parts.engine.live());
    let publisher = Arc::clone(&parts.health.publisher);
    let (scraped, asked) = (Arc::clone(&parts.engine), Arc::clone(&parts.engine));
    Sources {
        health: Arc::new(move || {
            let told = Health::of(&live, &health.catalog.borrow());
            let file = health.file.as_ref().and_then(|file| file.borrow().trouble.clone());
            match file {
                Some(trouble) => told.with("rules_file", trouble),
                None => told,
            }
        }),
        metrics: Arc::new(move || scraped.recorder().scrape()),
        top_keys: Arc::new(move |most| {
            let top = asked.recorder().top().list(most);
            let key = |hot: crate::telemetry::Hot| TopKey {
                rule: hot.rule,
                key: hot.key,
                count: hot.requests,
                error: hot.error,
            };
            top.keys.into_iter().map(key).collect()
        }),
        demo: Arc::new(move || publisher.shown() == Shown::Demo),
    }
}

impl Serve for AdminServe {
    const PROTOCOL: Protocol = Protocol::Admin;
    const FULL: &'static [u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n\
        Connection: close\r\nContent-Length: 0\r\n\r\n";

    async fn serve(&self, stream: TcpStream, _: SocketAddr, mut stop: Stop) {
        serve_connection(stream, self.router.clone(), async move { stop.heard().await }).await;
    }
}
