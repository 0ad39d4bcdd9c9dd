//! One connection. Commands go out in the order in which they were handed over, and never a second time.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    time::Duration,
};

use redis::{
    AsyncConnectionConfig, Cmd, Pipeline, ProtocolVersion, PushInfo, RedisConnectionInfo,
    RedisError, Value,
    aio::{MultiplexedConnection, SendError},
};
use rustls::pki_types::ServerName;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    sync::watch,
    task::{AbortHandle, unconstrained},
    time::timeout,
};
use tokio_rustls::TlsConnector;

use super::{access::Access, address::Address, call::Cause, reply, tasks::spawn};

/// How long a connection may take until the server has answered for the first time.
const CONNECT_MAX: Duration = Duration::from_secs(1);
/// How long a reply is waited for. Then the connection is given up, and with it whatever is under way.
pub(crate) const PATIENCE: Duration = Duration::from_secs(1);
/// Commands that may wait to be written: more than ever are under way, so that handing over never waits
/// and never changes the order.
const QUEUE: usize = 2 * super::run::IN_FLIGHT_MAX;

/// An open connection. Dropping it closes it, whatever is under way.
pub(super) struct Link {
    connection: MultiplexedConnection,
    driver: AbortHandle,
    /// Ends with the driver.
    driven: watch::Receiver<()>,
    is_cut: AtomicBool,
    /// Which of all connections of this process it is.
    pub(super) number: u64,
    /// How long the reply to a call is waited for.
    pub(super) patience: Duration,
}

/// Why there is no connection.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    pub(super) cause: Cause,
    pub(super) text: String,
}

/// Why a command has no reply, though it was handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lost {
    /// The connection has ended.
    Ended,
    /// There was no reply in time.
    Late,
}

impl Link {
    /// Connects, and says who we are.
    pub(super) async fn open(access: &Access, address: &Address) -> Result<Self, Refused> {
        Self::open_by(access, address, &Greeting::new(access)).await
    }

    /// The same, and hears what the server says by itself.
    pub(super) async fn listen(
        access: &Access,
        address: &Address,
        heard: impl Fn(PushInfo) + Send + Sync + 'static,
    ) -> Result<Self, Refused> {
        let mut greeting = Greeting::new(access);
        // Before, replies and what is said by itself could not be told apart.
        greeting.login = greeting.login.set_protocol(ProtocolVersion::RESP3);
        greeting.config = greeting.config.set_push_sender(move |info| {
            heard(info);
            Ok::<(), SendError>(())
        });
        Self::open_by(access, address, &greeting).await
    }

    async fn open_by(
        access: &Access,
        address: &Address,
        greeting: &Greeting,
    ) -> Result<Self, Refused> {
        match timeout(CONNECT_MAX, connect(access, address, greeting)).await {
            Ok(Ok(link)) => Ok(link),
            Ok(Err(error)) => Err(refused(&error, address)),
            Err(_) => Err(Refused {
                cause: Cause::Silent,
                text: format!("{address} does not answer within {CONNECT_MAX:?}"),
            }),
        }
    }

    /// One command and its reply, which may be an error that the server has told.
    pub(super) async fn ask(&self, command: &Cmd, patience: Duration) -> Result<Value, Lost> {
        let mut connection = self.connection.clone();
        let reply = connection.send_packed_command(command);
        self.within(patience, reply).await
    }

    /// Several commands in one piece, and a reply to each.
    pub(super) async fn ask_all(
        &self,
        commands: &Pipeline,
        patience: Duration,
    ) -> Result<Vec<Value>, Lost> {
        let mut connection = self.connection.clone();
        let replies = connection.send_packed_commands(commands, 0, commands.len());
        self.within(patience, replies).await
    }

    async fn within<T>(
        &self,
        patience: Duration,
        reply: impl Future<Output = Result<T, RedisError>>,
    ) -> Result<T, Lost> {
        // Handed over when it is first polled, also by a task that has done much already: the order is
        // that of the callers.
        match timeout(patience, unconstrained(reply)).await {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(_)) => {
                // Whatever it was, replies can no longer be told apart.
                self.cut();
                Err(Lost::Ended)
            }
            Err(_) => Err(Lost::Late),
        }
    }

    /// Whether commands can be handed over.
    pub(super) fn is_open(&self) -> bool {
        !self.is_cut.load(Relaxed) && self.driven.has_changed().is_ok()
    }

    /// Gives up the connection and everything under way.
    pub(super) fn cut(&self) {
        self.is_cut.store(true, Relaxed);
        self.driver.abort();
    }

    /// Waits for the end of the connection.
    pub(super) async fn ended(&self) {
        let mut driven = self.driven.clone();
        while driven.changed().await.is_ok() {}
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

/// Who we are, and how we speak.
struct Greeting {
    login: RedisConnectionInfo,
    config: AsyncConnectionConfig,
    patience: Duration,
}

impl Greeting {
    fn new(access: &Access) -> Self {
        // The library would give up a reply after half a second and go on with the connection. How long is
        // waited is said with each command.
        let config = AsyncConnectionConfig::new()
            .set_response_timeout(None)
            .set_connection_timeout(None)
            .set_pipeline_buffer_size(QUEUE);
        Self { login: access.login.clone(), config, patience: access.patience }
    }
}

async fn connect(
    access: &Access,
    address: &Address,
    greeting: &Greeting,
) -> Result<Link, RedisError> {
    let stream = TcpStream::connect((address.host.as_str(), address.port)).await?;
    stream.set_nodelay(true)?;
    let Some(tls) = &access.tls else {
        return greet(greeting, stream).await;
    };
    let name = ServerName::try_from(address.host.clone()).map_err(std::io::Error::other)?;
    let stream = TlsConnector::from(tls.clone()).connect(name, stream).await?;
    greet(greeting, stream).await
}

async fn greet<S>(greeting: &Greeting, stream: S) -> Result<Link, RedisError>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let Greeting { login, config, .. } = greeting;
    let (connection, driver) =
        MultiplexedConnection::new_with_config(login, stream, config.clone()).await?;
    let (driving, driven) = watch::channel(());
    let driver = spawn(async move {
        driver.await;
        drop(driving);
    });
    static LINKS: AtomicU64 = AtomicU64::new(0);
    Ok(Link {
        connection,
        driver,
        driven,
        is_cut: AtomicBool::new(false),
        number: LINKS.fetch_add(1, Relaxed),
        patience: greeting.patience,
    })
}

fn refused(error: &RedisError, address: &Address) -> Refused {
    Refused { cause: reply::cause_of_refusal(error), text: format!("{address}: {error}") }
}
