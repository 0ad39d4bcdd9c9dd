//! Servers that share a Redis.

use serde_json::{Value, json};
use tollgate_testkit::{free_address, wait_for};

use crate::common::{
    Desk,
    http::{Http, Reply},
    server::{LONG, Server},
};

/// Ten a day for each user, whoever counts; three policies for when nobody can.
pub(crate) const RULES: &str = "\
version: 1
rules:
  - { name: daily, match: { endpoint: /daily }, key: [user], limit: 10/day, consistency: exact }
  - { name: leased, match: { endpoint: /leased }, key: [user], limit: 10/day }
  - { name: alone, match: { endpoint: /alone }, key: [user], limit: 10/day, consistency: local }
  - { name: shut, match: { endpoint: /shut }, key: [user], limit: 10/day, on_failure: closed }
  - { name: wide, match: { endpoint: /wide }, key: [user], limit: 10/day, on_failure: open }
  - { name: edge, match: { endpoint: /edge }, key: [ip], limit: 10/day }
  - { name: envoy, match: { descriptor: [[tenant]] }, key: [attributes.tenant], limit: 10/day }
";

/// A node: a server in a folder of its own.
pub(crate) struct Node {
    pub(crate) server: Server,
    pub(crate) desk: Desk,
    flags: Vec<String>,
}

/// A node whose server has ended.
pub(crate) struct Stopped {
    pub(crate) desk: Desk,
    flags: Vec<String>,
}

impl Stopped {
    /// The same once more, in its folder.
    pub(crate) fn start(self) -> Node {
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        let server = self.desk.serve(&flags);
        Node { server, desk: self.desk, flags: self.flags }
    }
}

impl Node {
    /// With these rules, on a Redis by its address.
    pub(crate) fn start(redis: &str, rules: &str) -> Self {
        Self::with(redis, rules, &[])
    }

    /// The same with more flags.
    pub(crate) fn with(redis: &str, rules: &str, more: &[&str]) -> Self {
        let desk = Desk::new();
        desk.write("rules.yaml", rules);
        // Nothing else is there once it is killed: callers try it on and on.
        let resp = free_address().to_string();
        // Long enough that a busy machine does not look like a Redis that is away.
        let flags =
            ["--rules", "rules.yaml", "--resp", &resp, "--redis", redis, "--redis-deadline", "1s"];
        let flags = [&flags, more].concat();
        let server = desk.serve(&flags);
        let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        Self { server, desk, flags }
    }

    /// Asks the node to stop, and waits until it has.
    pub(crate) fn stop(self) -> Stopped {
        self.server.stop();
        Stopped { desk: self.desk, flags: self.flags }
    }

    /// Ends the node at once, without a word to Redis.
    pub(crate) fn kill(self) -> Stopped {
        self.server.kill();
        Stopped { desk: self.desk, flags: self.flags }
    }

    /// The same, once it can count in Redis.
    pub(crate) fn ready(redis: &str, rules: &str) -> Self {
        let node = Self::start(redis, rules);
        node.until_fine();
        node
    }

    pub(crate) fn readiness(&self) -> Value {
        let reply = self.server.decisions().get("/readyz");
        assert_eq!(reply.status, 200, "it can decide: {}", reply.body);
        reply.json()
    }

    pub(crate) fn until_fine(&self) {
        wait_for("a node that lacks nothing", LONG, || {
            let degraded = self.readiness()["degraded"].clone();
            (degraded == json!([])).then_some(())
        });
    }

    /// Waits until the condition names this.
    pub(crate) fn until_degraded(&self, words: &[&str]) {
        wait_for("a node that says what is wrong", LONG, || {
            let degraded = self.readiness()["degraded"].to_string();
            words.iter().all(|word| degraded.contains(word)).then_some(())
        });
    }

    /// One check over HTTP.
    pub(crate) fn check(&self, endpoint: &str, user: &str) -> Reply {
        check(&mut self.server.decisions(), endpoint, user)
    }

    /// How many of so many checks pass.
    pub(crate) fn passes(&self, endpoint: &str, user: &str, tries: usize) -> usize {
        let mut http = self.server.decisions();
        let replies = (0..tries).map(|_| check(&mut http, endpoint, user).status);
        replies.filter(|status| *status == 200).count()
    }

    /// The value of a series.
    pub(crate) fn metric(&self, series: &str) -> u64 {
        let scrape = self.server.administration().get("/metrics").body;
        let line = scrape.lines().find_map(|line| line.strip_prefix(&format!("{series} ")));
        let line = line.unwrap_or_else(|| panic!("no {series} in {scrape}"));
        line.parse().unwrap()
    }
}

fn check(http: &mut Http, endpoint: &str, user: &str) -> Reply {
    let body = json!({ "user_id": user, "endpoint": endpoint });
    http.post("/ratelimit/check", &body)
}
