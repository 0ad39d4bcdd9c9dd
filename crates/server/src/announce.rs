//! What an operator is told when a server starts.

use std::fmt;

use serde_json::{Value, json};
use tollgate_redis::Leases;

use crate::{
    config::{Listeners, Owner, Redis, TlsFiles},
    counters::SAVE_EVERY,
    counting::Counting,
    curl::Curl,
    first_token::{self, FirstToken},
    health::Condition,
    rules::Shown,
    server::Server,
};

/// Where a server listens, what it runs, and one thing to try.
#[derive(Debug)]
pub struct Announcement {
    listeners: Listeners,
    database: String,
    data: String,
    redis: Option<String>,
    owner: Owner,
    node: String,
    condition: Condition,
    schemes: Schemes,
    curl: Curl,
    first_token: Option<FirstToken>,
    screen: Screen,
}

/// Where an announcement is printed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screen {
    /// A terminal: it may show a secret once.
    Terminal,
    /// A file, a pipe or a log, where a secret would stay.
    Elsewhere,
}

/// What the addresses begin with.
#[derive(Debug)]
struct Schemes {
    http: &'static str,
    grpc: &'static str,
    resp: &'static str,
    admin: &'static str,
}

impl Announcement {
    pub(crate) fn of(server: &Server, screen: Screen) -> Self {
        let (settings, health) = server.about();
        let tls = &settings.tls;
        let scheme = |files: &Option<TlsFiles>, clear, sealed| match files {
            None => clear,
            Some(_) => sealed,
        };
        let schemes = Schemes {
            http: scheme(&tls.http, "http", "https"),
            grpc: scheme(&tls.grpc, "grpc", "grpcs"),
            resp: scheme(&tls.resp, "redis", "rediss"),
            admin: scheme(&tls.admin, "http", "https"),
        };
        let about = health.certificates.about("http");
        Self {
            curl: Curl::new(settings.listen.http, tls.http.as_ref().zip(about.as_ref())),
            schemes,
            listeners: settings.listen,
            database: settings.database.to_string(),
            data: settings.data.display().to_string(),
            redis: settings.redis.as_ref().map(Redis::shown),
            owner: settings.owner.clone(),
            node: settings.node.to_string(),
            condition: health.condition(),
            first_token: server.first_token().cloned(),
            screen,
        }
    }

    /// The same for programs.
    pub fn to_json(&self) -> Value {
        json!({
            "http": self.listeners.http.to_string(),
            "grpc": self.listeners.grpc.to_string(),
            "resp": self.listeners.resp.to_string(),
            "admin": self.listeners.admin.to_string(),
            "node": self.node,
            "database": self.database,
            "data": self.data,
            "revision": self.condition.revision,
            "demo": self.condition.shown == Shown::Demo,
            "degraded": self.condition.degraded,
            "warnings": self.condition.warnings,
            "tls": {
                "http": self.schemes.http == "https",
                "grpc": self.schemes.grpc == "grpcs",
                "resp": self.schemes.resp == "rediss",
                "admin": self.schemes.admin == "https",
            },
            "redis": self.redis,
            "counting": self.condition.counting.words(),
            "killed_loses_at_most_s": SAVE_EVERY.as_secs(),
            "first_token_file": self.first_token.as_ref().map(|token| token.file.display().to_string()),
            "try": self.curl(),
        })
    }

    /// To be called once it is printed: a token that is on a terminal is in no file any more.
    pub fn printed(&self) {
        if let (Some(token), Screen::Terminal) = (&self.first_token, self.screen) {
            token.forget_file();
        }
    }

    fn curl(&self) -> String {
        let facts = match self.condition.shown {
            Shown::Demo => r#"{"user_id":"alice","endpoint":"/hello"}"#,
            Shown::Own => r#"{"user_id":"alice","endpoint":"/","method":"GET"}"#,
        };
        let Curl { words, origin } = &self.curl;
        format!("curl -i {words}{origin}/ratelimit/check -d '{facts}'")
    }

    fn rules(&self) -> String {
        match (self.condition.revision, self.condition.shown, &self.owner) {
            (None, ..) => {
                "none: nothing can be decided before the rule database answers".to_owned()
            }
            (_, Shown::Demo, _) => {
                "a demonstration, gone with the first rule you write (--no-demo: none)".to_owned()
            }
            (Some(revision), _, Owner::File(path)) => {
                format!("revision {revision}, owned by {}", path.display())
            }
            (Some(revision), ..) => format!("revision {revision} in {}", self.database),
        }
    }
}

impl Announcement {
    /// The first token, or where it is.
    fn token(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(token) = &self.first_token else {
            return Ok(());
        };
        let days = first_token::SPAN.as_secs() / 86_400;
        match self.screen {
            Screen::Terminal => writeln!(f, "  token      {}", token.secret.as_str())?,
            Screen::Elsewhere => {
                writeln!(f, "  token      in the file {}", token.file.display())?;
            }
        }
        let shown = match self.screen {
            Screen::Terminal => ", shown only now",
            Screen::Elsewhere => "",
        };
        writeln!(
            f,
            "             admin token, valid for {days} days{shown}; not needed on this machine unless\n             \
             admin_auth = required"
        )
    }
}

impl fmt::Display for Announcement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Listeners { http, grpc, resp, admin } = &self.listeners;
        writeln!(f, "tollgate {} is up", env!("CARGO_PKG_VERSION"))?;
        let schemes = &self.schemes;
        writeln!(f, "  decisions  {}://{http}  (HTTP)", schemes.http)?;
        writeln!(f, "             {}://{grpc}  (Envoy's rate limit service)", schemes.grpc)?;
        writeln!(f, "             {}://{resp}  (Redis protocol)", schemes.resp)?;
        writeln!(f, "  admin      {}://{admin}  (API, /metrics)", schemes.admin)?;
        writeln!(f, "  rules      {}", self.rules())?;
        let off = match self.condition.counting {
            Counting::Shared(Leases::Off) => {
                "leases are switched off: each decision asks Redis;\n             "
            }
            _ => "",
        };
        match &self.redis {
            None => writeln!(
                f,
                "  counters   in memory: every consistency mode counts on this node alone"
            )?,
            Some(redis) => writeln!(
                f,
                "  counters   shared through {redis}: exact and leased rules count for all nodes together;\n             \
                 {off}local rules, and decisions made while Redis is down, are counted in memory:"
            )?,
        }
        writeln!(
            f,
            "             windows of an hour and longer are kept in {}; a kill -9 forgets",
            self.data
        )?;
        writeln!(f, "             at most the last {} s of them", SAVE_EVERY.as_secs())?;
        self.token(f)?;
        let condition = &self.condition;
        for trouble in condition.degraded.iter().chain(&condition.warnings) {
            writeln!(f, "  attention  {trouble}")?;
        }
        write!(f, "Try it, a few times:\n  {}", self.curl())
    }
}
