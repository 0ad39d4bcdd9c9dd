//! How a connection is made.

use std::{
    fmt,
    future::Future,
    io,
    net::{SocketAddr, ToSocketAddrs as _},
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    sync::Notify,
    time::timeout,
};

use crate::tls::Tls;

/// What bytes go through.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A connection that is being made.
pub type Connecting = Pin<Box<dyn Future<Output = io::Result<Box<dyn Stream>>> + Send>>;

/// Makes connections. Bring your own for what TCP is not: a socket in the file system, a simulated network.
///
/// ```
/// use tollgate_client::{Client, Connecting, Stream};
///
/// let client = Client::builder("http://tollgate")
///     .connect(|_host: &str| -> Connecting {
///         Box::pin(async {
///             let (ours, _theirs) = tokio::io::duplex(1_024);
///             Ok(Box::new(ours) as Box<dyn Stream>)
///         })
///     })
///     .build()?;
/// # Ok::<(), tollgate_client::BuildError>(())
/// ```
pub trait Connect: Send + Sync {
    /// Begins a connection to the server of this name, as it stands in the address.
    fn connect(&self, host: &str) -> Connecting;
}

impl<F: Fn(&str) -> Connecting + Send + Sync> Connect for F {
    fn connect(&self, host: &str) -> Connecting {
        self(host)
    }
}

/// The most addresses of one name that are tried.
const ADDRESSES_MAX: usize = 8;

/// How long one of them may take, so that others have their turn.
const ADDRESS_TIME_MAX: Duration = Duration::from_millis(250);

/// Connections over TCP, and over TLS on top of it.
pub(crate) struct Tcp {
    names: Arc<Names>,
    tls: Option<Tls>,
}

impl fmt::Debug for Tcp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tcp").field(&self.names.host).finish()
    }
}

/// Where a name leads to. One lookup at a time: one that hangs takes one thread, however many wait for it.
#[derive(Debug)]
struct Names {
    host: Box<str>,
    port: u16,
    is_looking: AtomicBool,
    looked: Notify,
    /// The address to begin with.
    first: AtomicUsize,
    known: Mutex<Vec<SocketAddr>>,
}

impl Tcp {
    pub(crate) fn new(host: &str, port: u16, tls: Option<Tls>) -> Self {
        let names = Names::new(host, port);
        Self { names, tls }
    }
}

impl Connect for Tcp {
    fn connect(&self, _host: &str) -> Connecting {
        let names = Arc::clone(&self.names);
        let tls = self.tls.clone();
        Box::pin(async move {
            let stream = tcp(&names).await?;
            Ok(match tls {
                None => Box::new(stream) as Box<dyn Stream>,
                Some(tls) => Box::new(tls.greet(stream).await?),
            })
        })
    }
}

/// Connects to the first address that takes it, beginning with the one that did last.
async fn tcp(names: &Arc<Names>) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    let addresses = names.resolve().await?;
    let first = names.first.load(Ordering::Relaxed);
    for turn in 0..addresses.len() {
        let place = (first + turn) % addresses.len();
        let Some(address) = addresses.get(place) else {
            break;
        };
        match timeout(ADDRESS_TIME_MAX, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                names.first.store(place, Ordering::Relaxed);
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Ok(Err(error)) => last = error,
            Err(_) => last = io::ErrorKind::TimedOut.into(),
        }
        names.first.store(place + 1, Ordering::Relaxed);
    }
    Err(last)
}

impl Names {
    fn new(host: &str, port: u16) -> Arc<Self> {
        Arc::new(Self {
            host: host.into(),
            port,
            is_looking: AtomicBool::new(false),
            looked: Notify::new(),
            first: AtomicUsize::new(0),
            known: Mutex::default(),
        })
    }

    /// The addresses; the last known ones while nobody can tell.
    async fn resolve(self: &Arc<Self>) -> io::Result<Vec<SocketAddr>> {
        if let Ok(ip) = self.host.parse() {
            return Ok(vec![SocketAddr::new(ip, self.port)]);
        }
        // From here on nothing is missed that the one who looks has to say.
        let looked = self.looked.notified();
        if self.is_looking.swap(true, Ordering::AcqRel) {
            looked.await;
            return self.last_known(io::ErrorKind::NotFound.into());
        }
        let looking = Looking(Arc::clone(self));
        let looked = tokio::task::spawn_blocking(move || looking.0.look_up()).await;
        match looked.unwrap_or_else(|error| Err(io::Error::other(error))) {
            Ok(addresses) => Ok(addresses),
            Err(error) => self.last_known(error),
        }
    }

    /// Runs on a thread that may wait.
    fn look_up(&self) -> io::Result<Vec<SocketAddr>> {
        let found = (&*self.host, self.port).to_socket_addrs()?;
        let addresses: Vec<SocketAddr> = found.take(ADDRESSES_MAX).collect();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.clone_from(&addresses);
        Ok(addresses)
    }

    fn last_known(&self, error: io::Error) -> io::Result<Vec<SocketAddr>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_empty() { Err(error) } else { Ok(known.clone()) }
    }
}

/// Somebody looks a name up. However that ends, others may look after it.
struct Looking(Arc<Names>);

impl Drop for Looking {
    fn drop(&mut self) {
        self.0.is_looking.store(false, Ordering::Release);
        self.0.looked.notify_waiters();
    }
}

/// Certificates and keys, as they were given.
#[derive(Clone, Default)]
pub(crate) struct Papers {
    /// PEM of those whose certificates are believed; the machine's own unless given.
    pub(crate) roots: Option<Vec<u8>>,
    /// PEM of a certificate with its chain, and of its key.
    pub(crate) identity: Option<(Vec<u8>, Vec<u8>)>,
}
