//! Clients of Redis that people use, as they come: redis-cli, redis-benchmark, redis-py, redis-rs.
// Proves: S3

use std::{
    net::SocketAddr,
    path::Path,
    process::{Command, Output},
};

use crate::common::{Desk, server::Server};

const RULES: &str = "
version: 1
rules:
  - { name: login, match: { endpoint: /login }, key: [user], limit: 3/day }
  - { name: search, match: { endpoint: /search }, key: [], limit: 100/day }
";

/// A server with rules, in a folder that lives as long.
fn server() -> (Desk, Server) {
    let desk = Desk::new();
    desk.write("rules.yaml", RULES);
    let server = desk.serve(&["--rules", "rules.yaml"]);
    (desk, server)
}

fn run(program: impl AsRef<Path>, words: &[&str]) -> String {
    let program = program.as_ref();
    let name = program.display();
    let output = Command::new(program).args(words).output();
    let output = output.unwrap_or_else(|error| {
        panic!("{name}: {error}: `cargo xtask test` installs what is missing");
    });
    let Output {
        status,
        stdout,
        stderr,
    } = output;
    let (out, err) = (
        String::from_utf8_lossy(&stdout),
        String::from_utf8_lossy(&stderr),
    );
    assert!(status.success(), "{name} {words:?}: {status}\n{out}\n{err}");
    out.into_owned()
}

fn redis_cli(at: SocketAddr, words: &str) -> String {
    let port = at.port().to_string();
    let words = words.split(' ');
    let all: Vec<&str> = ["-p", &port].into_iter().chain(words).collect();
    run("redis-cli", &all)
}

#[test]
fn redis_cli_asks_and_is_answered() {
    let (_desk, server) = server();
    let asks = |words: &str| redis_cli(server.resp, words);
    assert_eq!(asks("PING"), "PONG\n");
    assert_eq!(asks("CL.THROTTLE user123 15 30 60"), "0\n16\n15\n-1\n2\n");
    let check = "TG.CHECK user_id alice endpoint /login";
    assert!(asks(check).starts_with("1\n3\n2\n0\n"));
    assert!(asks(&format!("-3 {check}")).starts_with("1\n3\n1\n0\n"));
    assert!(asks(&format!("{check} cost 2")).starts_with("0\n3\n0\n"));
    assert!(asks("TG.RESET user_id alice endpoint /login").starts_with("1\n3\n3\n0\n"));
    assert!(asks("-3 TG.CHECK user_id alice endpoint /other").starts_with("1\n-1\n-1\n0\n0\n"));
    assert!(asks("TG.CHECK usr_id a").contains("did you mean user_id?"));
    assert!(asks("GET key").starts_with("ERR unknown command 'GET'"));
    let hello = asks("--json HELLO 3");
    assert!(hello.contains("\"server\":\"tollgate\""), "{hello}");
    assert!(asks("INFO keyspace").starts_with("# Keyspace"));
}

#[test]
fn redis_cli_pipes_thousands() {
    let (desk, server) = server();
    desk.write(
        "commands",
        &"CL.THROTTLE piped 9999 1 86400\r\n".repeat(5_000),
    );
    let commands = std::fs::File::open(desk.path("commands")).unwrap();
    let port = server.resp.port().to_string();
    let output = Command::new("redis-cli")
        .args(["-p", &port, "--pipe"])
        .stdin(commands)
        .output()
        .unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("errors: 0, replies: 5000"), "{told}");
    let after = redis_cli(server.resp, "CL.THROTTLE piped 9999 1 86400 0");
    assert!(after.starts_with("0\n10000\n5000\n"), "{after}");
}

#[test]
fn redis_benchmark_runs() {
    let (_desk, server) = server();
    let port = server.resp.port().to_string();
    for version in [&[][..], &["-3"]] {
        for command in [
            "CL.THROTTLE bench 99 1 86400",
            "TG.CHECK endpoint /search",
            "PING",
        ] {
            let options = ["-p", &port, "-n", "2000", "-c", "20", "-P", "16", "-q"];
            let words = version
                .iter()
                .copied()
                .chain(options)
                .chain(command.split(' '));
            let told = run("redis-benchmark", &words.collect::<Vec<_>>());
            assert!(told.contains("requests per second"), "{told}");
            assert!(
                !told.contains("rror") && !told.contains("WARNING"),
                "{told}"
            );
        }
    }
    // However many came at once, no more passed than may.
    let asks = |words: &str| redis_cli(server.resp, words);
    assert!(asks("CL.THROTTLE bench 99 1 86400").starts_with("1\n100\n0\n"));
    assert!(asks("TG.PEEK endpoint /search").starts_with("0\n100\n0\n"));
}

#[test]
fn redis_py_asks_and_is_answered() {
    let (_desk, server) = server();
    let python = tollgate_testkit::pypi("python");
    let port = server.resp.port().to_string();
    let told = run(python, &["-c", include_str!("redis_py.py"), &port]);
    assert_eq!(told, "done\n");
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
        let throttled: [i64; 5] = redis::cmd("CL.THROTTLE")
            .arg(user)
            .arg(&[15, 30, 60])
            .query(&mut connection)
            .unwrap();
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
        let unknown = redis::cmd("GET")
            .arg("key")
            .query::<String>(&mut connection);
        let error = unknown.unwrap_err().to_string();
        assert!(error.contains("unknown command 'GET'"), "{error}");
    }
}
