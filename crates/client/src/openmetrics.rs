//! The status as metrics.

use std::fmt::{Display, Write as _};

use crate::{BreakerState, ServerStatus, Status};

/// Metrics while they are written.
struct Page(String);

impl Page {
    fn about(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a text does not fail.
        let _written = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    fn line(&mut self, name: &str, labels: &str, value: impl Display) {
        let _written = writeln!(self.0, "{name}{labels} {value}");
    }

    fn one(&mut self, (name, kind): (&str, &str), help: &str, value: impl Display) {
        self.about(name, kind, help);
        self.line(name, "", value);
    }

    /// One line for each server.
    fn servers(
        &mut self,
        (name, kind): (&str, &str),
        help: &str,
        (servers, of): (&[ServerStatus], fn(&ServerStatus) -> u64),
    ) {
        self.about(name, kind, help);
        for server in servers {
            let labels = format!("{{server=\"{}\"}}", server.address);
            self.line(name, &labels, of(server));
        }
    }
}

const COUNTER: &str = "counter";
const GAUGE: &str = "gauge";

impl Status {
    /// The status in the text format of Prometheus, for the `/metrics` of the program that the client runs in.
    /// Its labels are sources, outcomes and the servers' addresses: never a key.
    pub fn to_openmetrics(&self) -> String {
        let mut page = Page(String::with_capacity(4_096));
        let name = "tollgate_client_answers_total";
        page.about(name, COUNTER, "Checks by who answered, and how.");
        for (source, outcome, count) in [
            ("server", "allowed", self.by_server.allowed),
            ("server", "denied", self.by_server.denied),
            ("cached_denial", "denied", self.cached_denials),
            ("fallback", "allowed", self.by_fallback.allowed),
            ("fallback", "denied", self.by_fallback.denied),
            ("bypass", "allowed", self.bypassed),
        ] {
            let labels = format!("{{source=\"{source}\",outcome=\"{outcome}\"}}");
            page.line(name, &labels, count);
        }
        page.one(
            ("tollgate_client_fallback_unknown_total", COUNTER),
            "Answers of the fallback for which no limit was known.",
            self.unknown,
        );
        page.one(
            ("tollgate_client_refused_total", COUNTER),
            "Checks that were wrong, or whose credentials were.",
            self.refused,
        );
        page.one(
            ("tollgate_client_untrusted_total", COUNTER),
            "Checks that the fallback answered since the server does not believe this caller.",
            self.untrusted,
        );
        page.one(
            ("tollgate_client_checked_percent", GAUGE),
            "How many of a hundred calls are checked; fewer than all while limits are bypassed, or return.",
            self.checked_percent,
        );
        page.one(
            ("tollgate_client_callers", GAUGE),
            "How many callers share the limits, as far as the servers said.",
            self.callers,
        );
        page.one(
            ("tollgate_client_denials_kept", GAUGE),
            "Denials that are remembered.",
            self.denials_kept,
        );
        page.one(
            ("tollgate_client_limits_kept", GAUGE),
            "Questions, and shapes of them, whose limits are known here.",
            self.limits_kept,
        );
        self.write_servers(&mut page);
        page.0
    }

    fn write_servers(&self, page: &mut Page) {
        let servers = self.servers.as_slice();
        page.servers(
            ("tollgate_client_server_share_percent", GAUGE),
            "How many of a hundred calls a server's breaker lets through.",
            (servers, share),
        );
        page.servers(
            ("tollgate_client_server_breaker_opened_total", COUNTER),
            "How often a server's breaker opened.",
            (servers, |server| server.opened),
        );
        page.servers(
            ("tollgate_client_server_calls_total", COUNTER),
            "Calls to a server.",
            (servers, |server| server.calls),
        );
        page.servers(
            ("tollgate_client_server_failures_total", COUNTER),
            "Calls to a server that failed, or came too late.",
            (servers, |server| server.failures),
        );
        page.servers(
            ("tollgate_client_server_in_flight", GAUGE),
            "Calls to a server that are under way.",
            (servers, |server| server.in_flight.into()),
        );
        page.servers(
            ("tollgate_client_server_connections", GAUGE),
            "Connections to a server.",
            (servers, |server| server.connections.into()),
        );
    }
}

fn share(server: &ServerStatus) -> u64 {
    match server.breaker {
        BreakerState::Closed => 100,
        BreakerState::Open => 0,
        BreakerState::Returning(percent) => percent.into(),
    }
}
