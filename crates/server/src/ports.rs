//! The ports of a server, and what is spoken there.

use std::{future::Future, sync::Arc};

use tokio::net::TcpListener;

use crate::{
    config::{Listeners, ProxyProtocol},
    error::StartError,
    listen::{Acceptor, Herald, Serve, bind},
    server::Parts,
    stop::Stop,
    telemetry::{Complaints, Protocol},
    tls::{TlsListener, TlsListeners},
};

/// All ports.
#[derive(Debug)]
pub(crate) struct Ports {
    pub(crate) http: Port,
    pub(crate) grpc: Port,
    pub(crate) resp: Port,
    pub(crate) admin: Port,
}

/// One that was taken.
#[derive(Debug)]
pub(crate) struct Port {
    listener: TcpListener,
    tls: Option<Arc<TlsListener>>,
}

impl Ports {
    /// Takes them, and says which if any would do.
    pub(crate) async fn take(
        listen: &Listeners,
        tls: TlsListeners,
    ) -> Result<(Self, Listeners), StartError> {
        let (http, http_at) = bind("http", listen.http).await?;
        let (grpc, grpc_at) = bind("grpc", listen.grpc).await?;
        let (resp, resp_at) = bind("resp", listen.resp).await?;
        let (admin, admin_at) = bind("admin", listen.admin).await?;
        let listeners = Listeners {
            http: http_at,
            grpc: grpc_at,
            resp: resp_at,
            admin: admin_at,
        };
        let port = |listener, tls| Port { listener, tls };
        let ports = Self {
            http: port(http, tls.http),
            grpc: port(grpc, tls.grpc),
            resp: port(resp, tls.resp),
            admin: port(admin, tls.admin),
        };
        Ok((ports, listeners))
    }
}

impl Port {
    /// Takes the connections of one listener until told to stop; says how many had to be cut off.
    pub(crate) fn serve<S: Serve>(
        self,
        serve: S,
        parts: &Parts,
        stopping: &Stop,
    ) -> impl Future<Output = usize> + Send + use<S> {
        let timers = &parts.settings.timers;
        let acceptor = Acceptor {
            listener: self.listener,
            herald: herald(S::PROTOCOL, parts).map(Arc::new),
            tls: self.tls,
            complaints: Arc::default(),
            connections_max: timers.connections_max,
            drain: timers.drain,
            recorder: Arc::clone(parts.engine.recorder()),
        };
        acceptor.run(Arc::new(serve), stopping.clone())
    }
}

/// Who hears proxies on a listener. Nobody administers through one.
fn herald(protocol: Protocol, parts: &Parts) -> Option<Herald> {
    let (settings, timers) = (&parts.settings, &parts.settings.timers);
    if settings.identity.proxy_protocol == ProxyProtocol::Off || protocol == Protocol::Admin {
        return None;
    }
    Some(Herald {
        proxies: settings.trusted_proxies.clone(),
        header: timers.request,
        idle: match protocol {
            Protocol::Resp => timers.resp_idle,
            _ => timers.idle,
        },
        protocol,
        recorder: Arc::clone(parts.engine.recorder()),
        complaints: Complaints::default(),
    })
}
