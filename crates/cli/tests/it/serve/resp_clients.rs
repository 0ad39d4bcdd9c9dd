//! A client of Redis that people use, as it comes: redis-rs.
// Proves: S3

use crate::common::{Desk, server::Server};

const RULES: &str = "
version: 1
rules:
  - { name: login, match: { endpoint: /login }, key: [user], limit: 3/day }
  - { name: search, match: { endpoint: /search }, key: [], limit: 100/day }
";

/// A server with rules, in a folder that lives as long.
pub(crate) fn server() -> (Desk, Server) {
    let desk = Desk::new();
    desk.write("rules.yaml", RULES);
    let server = desk.serve(&["--rules", "rules.yaml"]);
    (desk, server)
}

#[test]
fn redis_rs_asks_and_is_answered() {
    let (_desk, server) = server();
    for (version, user) in [("resp2", "two"), ("resp3", "three")] {
        let address = format!("redis://{}/?protocol={version}", server.resp);
        let client = redis::Client::open(address).unwrap();
        let mut connection = client.get_connection().unwrap();
        let pong: String = redis::cmd("PING").query(&mut connection).unwrap();
        assert_eq!(pong, "PONG");
        let throttled: [i64; 5] =
            redis::cmd("CL.THROTTLE").arg(user).arg(&[15, 30, 60]).query(&mut connection).unwrap();
        assert_eq!(throttled, [0, 16, 15, -1, 2]);

        type Decision = (bool, i64, i64, i64, i64, Option<String>);
        let facts = [("user_id", user), ("endpoint", "/login")];
        let mut pipe = redis::pipe();
        for _ in 0..4 {
            pipe.cmd("TG.CHECK").arg(&facts);
        }
        let decisions: Vec<Decision> = pipe.query(&mut connection).unwrap();
        let allowed: Vec<bool> = decisions.iter().map(|decision| decision.0).collect();
        assert_eq!(allowed, [true, true, true, false]);
        assert_eq!(decisions[3].5.as_deref(), Some("login"));
        let nothing: Decision = redis::cmd("TG.CHECK")
            .arg(&[("user_id", user), ("endpoint", "/other")])
            .query(&mut connection)
            .unwrap();
        assert_eq!(nothing, (true, -1, -1, 0, 0, None));
        let unknown = redis::cmd("GET").arg("key").query::<String>(&mut connection);
        let error = unknown.unwrap_err().to_string();
        assert!(error.contains("unknown command 'GET'"), "{error}");
    }
}
