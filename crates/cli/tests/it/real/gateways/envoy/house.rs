//! Everything that a story needs: a server with rules, a backend, and Envoy before both.

use serde_json::{Value, json};
use tollgate_testkit::{Backend, Envoy};

use super::bootstrap::{Bootstrap, LISTENER, Lists};
use crate::common::{
    Desk,
    http::{Http, Reply},
    server::Server,
};

/// Far above the 20 ms that Envoy waits by itself: a machine with other things to do is no outage.
const PATIENT: &str = "60s";

pub(super) struct House {
    // Dropped in this order: whoever asks ends before who is asked.
    pub(super) envoy: Envoy,
    pub(super) backend: Backend,
    pub(super) server: Server,
    _desk: Desk,
}

/// How it is to be.
#[derive(Default)]
pub(super) struct Plan<'a> {
    /// The rules file; without one the database is one that is not there.
    pub(super) rules: Option<&'a str>,
    /// More flags of the server.
    pub(super) flags: &'a [&'a str],
    /// What Envoy's only route is limited by.
    pub(super) rate_limits: Value,
    pub(super) lists: Lists,
    /// Fields of Envoy's rate limit filter, instead of what is usual here.
    pub(super) filter: Value,
    /// What Envoy knows of every request: metadata by its namespace.
    pub(super) metadata: Value,
    /// The folder that the server runs in, if something is in it already.
    pub(super) desk: Option<Desk>,
    /// How Envoy reaches the server, if not in clear.
    pub(super) transport: Value,
}

impl Plan<'_> {
    /// Envoy writes the numbers into headers.
    pub(super) fn with_headers() -> Self {
        Self {
            filter: json!({ "enable_x_ratelimit_headers": "DRAFT_VERSION_03" }),
            ..Self::default()
        }
    }

    pub(super) fn build(self) -> House {
        let desk = self.desk.unwrap_or_else(|| match self.rules {
            Some(_) => Desk::new(),
            None => Desk::on("postgres://nobody@127.0.0.1:1/none"),
        });
        let mut flags = Vec::new();
        if let Some(rules) = self.rules {
            desk.write("rules.yaml", rules);
            flags.extend(["--rules", "rules.yaml"]);
        }
        flags.extend(self.flags);
        let server = desk.serve(&flags);
        let backend = Backend::start();
        let bootstrap = Bootstrap {
            service: server.grpc,
            backend: backend.addr(),
            rate_limits: self.rate_limits,
            lists: self.lists,
            filter: over(json!({ "timeout": PATIENT }), &self.filter),
            metadata: self.metadata,
            transport: self.transport,
        };
        let envoy = Envoy::start(&bootstrap.text());
        House { envoy, backend, server, _desk: desk }
    }
}

/// The fields of both, the second's where both have one.
pub(super) fn over(mut below: Value, above: &Value) -> Value {
    for (name, value) in above.as_object().into_iter().flatten() {
        below[name] = value.clone();
    }
    below
}

impl House {
    /// A patient Envoy that writes the numbers into headers.
    pub(super) fn new(rules: &str, rate_limits: Value) -> Self {
        let plan = Plan { rules: Some(rules), rate_limits, ..Plan::with_headers() };
        plan.build()
    }

    /// A client of Envoy.
    pub(super) fn client(&self) -> Http {
        Http::to(self.envoy.listener(LISTENER))
    }

    /// Asks for `/` with headers.
    #[track_caller]
    pub(super) fn get(&self, headers: &[(&str, &str)]) -> Reply {
        self.client().ask("GET", "/", headers, "")
    }

    /// How many requests reached the backend.
    pub(super) fn arrived(&self) -> usize {
        self.backend.requests().len()
    }
}
