//! The ports of a server, and what is spoken there.

use std::{future::Future, sync::Arc};

use tokio::net::TcpListener;

use crate::{
    capacity::Capacity,
    config::{Listeners, ProxyProtocol},
    listen::{Acceptor, Addresses, BindError, BoundSocket, Herald, Refusals, Serve},
    server::Parts,
    stop::Stop,
    telemetry::{Complaints, Protocol},
    tls::{TlsListener, TlsListeners},
};

/// The ports of all listeners, taken while the settings and the rules are still being read.
#[derive(Debug)]
pub(crate) struct BoundPorts {
    http: BoundSocket,
    grpc: BoundSocket,
    resp: BoundSocket,
    admin: BoundSocket,
}

/// The ports of all listeners, which accept connections.
#[derive(Debug)]
pub(crate) struct Ports {
    pub(crate) http: Port,
    pub(crate) grpc: Port,
    pub(crate) resp: Port,
    pub(crate) admin: Port,
}

#[derive(Debug)]
pub(crate) struct Port {
    listener: TcpListener,
    tls: Option<Arc<TlsListener>>,
}

impl BoundPorts {
    pub(crate) fn bind(listen: &Listeners) -> Result<Self, BindError> {
        Ok(Self {
            http: BoundSocket::bind("http", listen.http)?,
            grpc: BoundSocket::bind("grpc", listen.grpc)?,
            resp: BoundSocket::bind("resp", listen.resp)?,
            admin: BoundSocket::bind("admin", listen.admin)?,
        })
    }

    /// The addresses with the ports that were taken.
    pub(crate) const fn addresses(&self) -> Listeners {
        Listeners {
            http: self.http.address(),
            grpc: self.grpc.address(),
            resp: self.resp.address(),
            admin: self.admin.address(),
        }
    }

    pub(crate) fn listen(self, tls: TlsListeners) -> Result<Ports, BindError> {
        let port = |socket: BoundSocket, tls| {
            let listener = socket.listen()?;
            Ok(Port { listener, tls })
        };
        Ok(Ports {
            http: port(self.http, tls.http)?,
            grpc: port(self.grpc, tls.grpc)?,
            resp: port(self.resp, tls.resp)?,
            admin: port(self.admin, tls.admin)?,
        })
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
        let settings = &parts.settings;
        let recorder = parts.engine.recorder();
        let connections_max = Capacity::current(settings).of(S::PROTOCOL);
        recorder.holds_at_most(S::PROTOCOL, connections_max);
        let addresses = Addresses::new(
            connections_max,
            settings.identity.trusted_callers.clone(),
            settings.trusted_proxies.clone(),
        );
        let acceptor = Acceptor {
            listener: self.listener,
            herald: herald(S::PROTOCOL, parts).map(Arc::new),
            tls: self.tls,
            complaints: Arc::default(),
            connections_max,
            addresses: Arc::new(addresses),
            refusals: Arc::new(Refusals::new(S::PROTOCOL, recorder)),
            drain: settings.timers.drain,
            recorder: Arc::clone(recorder),
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
