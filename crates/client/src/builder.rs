//! How a client is made.

use std::{
    hash::{BuildHasher as _, Hasher as _, RandomState},
    sync::Arc,
    time::Duration,
};

use tollgate_core::{Clock, SystemClock};

use crate::{
    Client, Connect, Fallback, RouteBy,
    breaker::Valve,
    bypass::Bypass,
    counts::Counts,
    denials::Denials,
    fallback::{Lexicon, Local},
    fleet::Fleet,
    inner::Inner,
    route,
    server::Server,
    tls::Tls,
    transport::{Address, Papers, Pool, Privacy, Tcp, Writer, shown},
};

/// How long a call may take, the connection included, unless said.
const DEADLINE: Duration = Duration::from_millis(5);
/// The runtime's timers ring once a millisecond.
const DEADLINE_MIN: Duration = Duration::from_millis(1);
/// Nobody waits longer to learn whether they may.
const DEADLINE_MAX: Duration = Duration::from_secs(60);
/// How many connections there are to each server, unless said.
const CONNECTIONS: usize = 2;
/// The most of them.
const CONNECTIONS_MAX: usize = 64;

/// What a client is made of.
///
/// ```
/// use std::time::Duration;
/// use tollgate_client::{Client, Fallback};
///
/// let client = Client::builder("http://10.0.0.7:7070, http://10.0.0.8:7070")
///     .deadline(Duration::from_millis(3))
///     .fallback(Fallback::Open)
///     .build()?;
/// assert_eq!(client.status().servers.len(), 2);
/// # Ok::<(), tollgate_client::BuildError>(())
/// ```
pub struct Builder {
    servers: String,
    token: Option<Box<str>>,
    deadline: Duration,
    connections: usize,
    fallback: Fallback,
    route_by: Vec<RouteBy>,
    clock: Arc<dyn Clock>,
    connect: Option<Arc<dyn Connect>>,
    papers: Papers,
}

/// Why there is no client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// An address that cannot be one.
    #[error(
        "server `{given}`: {problem}; write http://host:7070, https://…, redis://host:7072 or rediss://…"
    )]
    Address {
        /// What was given.
        given: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A token that cannot be one.
    #[error(
        "the token holds what no header can: use the text that `tollgate tokens create` printed"
    )]
    Token,
    /// Certificates that are none.
    #[error("TLS: {0}")]
    Tls(String),
}

impl Builder {
    pub(crate) fn new(servers: &str) -> Self {
        Self {
            servers: servers.to_owned(),
            token: None,
            deadline: DEADLINE,
            fallback: Fallback::default(),
            connections: CONNECTIONS,
            route_by: vec![RouteBy::Org, RouteBy::User, RouteBy::ApiKey, RouteBy::Ip],
            clock: Arc::new(SystemClock),
            connect: None,
            papers: Papers::default(),
        }
    }

    /// The token that this caller shows, so that the server believes what it says about users.
    #[must_use]
    pub fn token(mut self, token: &str) -> Self {
        self.token = Some(token.into());
        self
    }

    /// How long a call may take, the connection included: 5 ms unless said, at least 1 ms, at most a minute.
    #[must_use]
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline.clamp(DEADLINE_MIN, DEADLINE_MAX);
        self
    }

    /// What is answered while no server can be asked.
    #[must_use]
    pub const fn fallback(mut self, fallback: Fallback) -> Self {
        self.fallback = fallback;
        self
    }

    /// By which fact a question finds its server, of those that it has: org, user, API key, address unless said.
    #[must_use]
    pub fn route_by(mut self, facts: &[RouteBy]) -> Self {
        self.route_by = facts.to_vec();
        self
    }

    /// Another clock, for tests.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// How many connections there are to each server: 2 unless said. Each carries many calls at once.
    #[must_use]
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = connections.clamp(1, CONNECTIONS_MAX);
        self
    }

    /// Connects by something else than TCP, whatever the address says.
    #[must_use]
    pub fn connect(mut self, connect: impl Connect + 'static) -> Self {
        self.connect = Some(Arc::new(connect));
        self
    }

    /// PEM of those whose certificates are believed, instead of those the machine believes.
    #[must_use]
    pub fn roots(mut self, pem: &[u8]) -> Self {
        self.papers.roots = Some(pem.to_vec());
        self
    }

    /// PEM of the certificate, with its chain, and of the key that this caller shows.
    #[must_use]
    pub fn certificate(mut self, chain: &[u8], key: &[u8]) -> Self {
        self.papers.identity = Some((chain.to_vec(), key.to_vec()));
        self
    }

    /// The client. Nothing is connected before something is asked.
    ///
    /// # Errors
    ///
    /// [`BuildError`] for an address, a token or a certificate that cannot be one.
    pub fn build(self) -> Result<Client, BuildError> {
        let is_sound =
            |token: &str| !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
        if !self.token.as_deref().is_none_or(is_sound) {
            return Err(BuildError::Token);
        }
        let caller = caller_id();
        let addresses = Address::list(&self.servers)?;
        let server = |address: &Address| {
            let writer = Writer::new(address, &caller, self.token.as_deref());
            let connect = (self.connector(address)?, &*address.host);
            let pool = Pool::new(connect, writer, self.connections);
            Ok(Server::new(address.text.clone(), Valve::new(), pool))
        };
        let servers = addresses.iter().map(server).collect::<Result<_, _>>()?;
        let numbers = addresses.iter().map(|address| route::server(&address.text));
        let fleet = Fleet {
            servers,
            numbers: numbers.collect(),
            route_by: self.route_by.into(),
            deadline: self.deadline,
        };
        let inner = Inner {
            fleet,
            fallback: self.fallback,
            local: Local::new(Arc::clone(&self.clock)),
            lexicon: Lexicon::default(),
            denials: Denials::new(),
            bypass: Bypass::default(),
            counts: Counts::default(),
            clock: self.clock,
        };
        let inner = Arc::new(inner);
        Ok(Client { inner })
    }

    fn connector(&self, address: &Address) -> Result<Arc<dyn Connect>, BuildError> {
        if let Some(connect) = &self.connect {
            return Ok(Arc::clone(connect));
        }
        let tls = match address.privacy {
            Privacy::Plain => None,
            Privacy::Tls => Some(Tls::new(&address.host, &self.papers)?),
        };
        let tcp = Tcp::new(&address.host, address.port, tls);
        Ok(Arc::new(tcp))
    }
}

/// A name by which servers tell this client from others.
fn caller_id() -> String {
    let random = RandomState::new().build_hasher().finish();
    format!("{random:016x}")
}

impl std::fmt::Debug for Builder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder")
            .field("servers", &shown(&self.servers))
            .field("deadline", &self.deadline)
            .field("fallback", &self.fallback)
            .finish_non_exhaustive()
    }
}
