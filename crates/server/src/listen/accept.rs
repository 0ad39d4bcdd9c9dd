//! Taking connections, up to a number in all and for each address.

use std::{
    future::{Future, poll_fn},
    net::{IpAddr, SocketAddr},
    sync::Arc,
    task::Poll,
    time::Duration,
};

use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::{sleep, timeout},
};

use super::{Addresses, Herald, Peer, Stream, Way, addresses::AddressPlace, plain::Plain};
use crate::{
    stop::Stop,
    telemetry::{Complaints, Protocol, Recorder, Turned},
    tls::TlsListener,
};

/// What is done with a connection.
pub(crate) trait Serve: Send + Sync + 'static {
    /// Which protocol it speaks.
    const PROTOCOL: Protocol;
    /// What one hears for whom there is no room.
    const FULL: &'static [u8];

    /// Serves one connection to its end, and hurries once `stop` turns true.
    fn serve(&self, stream: Stream, peer: Peer, stop: Stop) -> impl Future<Output = ()> + Send;
}

/// Takes connections from one listener.
#[derive(Debug)]
pub(crate) struct Acceptor {
    pub(crate) listener: TcpListener,
    /// Who hears proxies name their clients, if they do.
    pub(crate) herald: Option<Arc<Herald>>,
    /// What handshakes are made with; none is needed in clear.
    pub(crate) tls: Option<Arc<TlsListener>>,
    /// Of those who speak TLS where it is not spoken.
    pub(crate) complaints: Arc<Complaints>,
    pub(crate) connections_max: usize,
    /// Those by client address.
    pub(crate) addresses: Arc<Addresses>,
    pub(crate) refusals: Arc<Refusals>,
    /// From the signal to stop to the end.
    pub(crate) drain: Duration,
    pub(crate) recorder: Arc<Recorder>,
}

/// After a failure to accept, which is mostly for want of file descriptors, that others give back.
const PAUSE: Duration = Duration::from_millis(50);

impl Acceptor {
    /// Accepts until `stop` turns true, then waits for the connections there are. Says how many it had to
    /// cut off.
    pub(crate) async fn run<S: Serve>(self, serve: Arc<S>, mut stop: Stop) -> usize {
        let mut connections = JoinSet::new();
        let mut is_failing = false;
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                Some(_) = connections.join_next(), if !connections.is_empty() => continue,
                () = stop.heard() => break,
            };
            match accepted {
                Ok(arrived) => {
                    is_failing = false;
                    self.admit(arrived, &serve, &mut connections, &stop);
                }
                Err(error) => {
                    if !is_failing {
                        tracing::error!(protocol = S::PROTOCOL.name(), %error, "Cannot accept connections.");
                    }
                    is_failing = true;
                    sleep(PAUSE).await;
                }
            }
        }
        // Those who were let in by the kernel before we heard are served too.
        while let Some(arrived) = self.waiting().await {
            self.admit(arrived, &serve, &mut connections, &stop);
        }
        drop(self.listener);
        let all_done = async { while connections.join_next().await.is_some() {} };
        let in_time = timeout(self.drain, all_done).await;
        let late = connections.len();
        connections.shutdown().await;
        if in_time.is_ok() { 0 } else { late }
    }

    /// Somebody who has connected and was not accepted yet.
    async fn waiting(&self) -> Option<(TcpStream, SocketAddr)> {
        let accepted = poll_fn(|context| Poll::Ready(self.listener.poll_accept(context)));
        match accepted.await {
            Poll::Ready(Ok(arrived)) => Some(arrived),
            Poll::Ready(Err(_)) | Poll::Pending => None,
        }
    }

    fn admit<S: Serve>(
        &self,
        (stream, address): (TcpStream, SocketAddr),
        serve: &Arc<S>,
        connections: &mut JoinSet<()>,
        stop: &Stop,
    ) {
        if connections.len() >= self.connections_max {
            self.refusals.full(self.connections_max, &self.addresses);
            return self.turn_away::<S>(&stream);
        }
        let Some(place) = self.addresses.admit(address.ip(), Way::Direct) else {
            self.refusals.address(address.ip(), self.addresses.max());
            return self.turn_away::<S>(&stream);
        };
        // Without it an answer may wait for the acknowledgement of the one before.
        drop(stream.set_nodelay(true));
        let arrival = Arrival {
            stream,
            address,
            place,
            herald: self.herald.clone(),
            tls: self.tls.clone(),
            complaints: Arc::clone(&self.complaints),
            addresses: Arc::clone(&self.addresses),
            refusals: Arc::clone(&self.refusals),
            stop: stop.clone(),
        };
        let serve = Arc::clone(serve);
        let open = Open::new(S::PROTOCOL, &self.recorder);
        connections.spawn(async move {
            arrival.serve(&*serve).await;
            drop(open);
        });
    }

    fn turn_away<S: Serve>(&self, stream: &TcpStream) {
        turn_away::<S>(stream, self.tls.as_deref());
    }
}

/// A fresh socket has room for this; if it has not, being closed says enough. Before a handshake nothing can be said.
fn turn_away<S: Serve>(stream: &TcpStream, tls: Option<&TlsListener>) {
    if tls.is_none() {
        drop(stream.try_write(S::FULL));
    }
}

/// A connection that was accepted, until it is known who is on the other side.
struct Arrival {
    stream: TcpStream,
    address: SocketAddr,
    place: AddressPlace,
    herald: Option<Arc<Herald>>,
    tls: Option<Arc<TlsListener>>,
    complaints: Arc<Complaints>,
    addresses: Arc<Addresses>,
    refusals: Arc<Refusals>,
    stop: Stop,
}

impl Arrival {
    async fn serve<S: Serve>(mut self, serve: &S) {
        let mut way = Way::Direct;
        if let Some(herald) = self.herald.take() {
            let heard = tokio::select! {
                heard = herald.hear(&mut self.stream, self.address) => heard,
                () = self.stop.heard() => None,
            };
            let Some((client, how)) = heard else {
                return;
            };
            (self.address, way) = (client, how);
        }
        if way == Way::Proxied {
            // Until now it had a place of the proxy.
            let client = self.address.ip();
            let Some(place) = self.addresses.admit(client, way) else {
                self.refusals.address(client, self.addresses.max());
                return turn_away::<S>(&self.stream, self.tls.as_deref());
            };
            self.place = place;
        }
        let Self { stream, address, place, tls, complaints, mut stop, .. } = self;
        let (stream, name) = match tls {
            None => {
                let plain = Plain::new(stream, address, S::PROTOCOL, complaints);
                (Stream::Plain(plain), None)
            }
            Some(tls) => match tls.greet(stream, address, &mut stop).await {
                Some((stream, name)) => (Stream::Tls(stream), name),
                None => return,
            },
        };
        // A certificate makes its owner a trusted caller.
        let place = Some(place).filter(|_| name.is_none());
        let peer = Peer { address, name, way };
        serve.serve(stream, peer, stop).await;
        drop(place);
    }
}

/// Counts a connection for as long as it is open, however it ends.
struct Open {
    protocol: Protocol,
    recorder: Arc<Recorder>,
}

impl Open {
    fn new(protocol: Protocol, recorder: &Arc<Recorder>) -> Self {
        recorder.opened(protocol);
        Self { protocol, recorder: Arc::clone(recorder) }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.recorder.closed(self.protocol);
    }
}

/// The connections that one listener has refused.
#[derive(Debug)]
pub(crate) struct Refusals {
    protocol: Protocol,
    recorder: Arc<Recorder>,
    full: Complaints,
    address: Complaints,
}

impl Refusals {
    pub(crate) fn new(protocol: Protocol, recorder: &Arc<Recorder>) -> Self {
        Self {
            protocol,
            recorder: Arc::clone(recorder),
            full: Complaints::once_a_minute(),
            address: Complaints::once_a_minute(),
        }
    }

    /// The listener has all the connections that it may.
    pub(super) fn full(&self, connections_max: usize, addresses: &Addresses) {
        self.recorder.turned_away(self.protocol, Turned::Full);
        if let Some(left_out) = self.full.may_tell() {
            let listener = self.protocol.name();
            let (address, connections) = addresses.busiest().unzip();
            tracing::warn!(
                listener,
                connections_max,
                left_out,
                busiest = address.map(tracing::field::display),
                busiest_connections = connections,
                "Clients are refused: all connections of a listener are taken. Raise connections_max, and the limit of open \
                 files with it (LimitNOFILE, ulimit -Hn); or look at the address that has the most."
            );
        }
    }

    /// One address has all the connections that it may.
    pub(super) fn address(&self, address: IpAddr, address_max: usize) {
        self.recorder.turned_away(self.protocol, Turned::Address);
        if let Some(left_out) = self.address.may_tell() {
            let listener = self.protocol.name();
            tracing::warn!(
                listener,
                %address,
                address_max,
                left_out,
                "A client is refused: its address has a quarter of the listener's connections, and may have no more. If it is a \
                 service of yours, name it in trusted_callers; if it is a gateway, in trusted_proxies."
            );
        }
    }
}
