//! Clients of Redis that people use, as they come: redis-cli, redis-benchmark, redis-py.
// Proves: S3

use std::{
    net::SocketAddr,
    path::Path,
    process::{Command, Output},
};

use tollgate_testkit::{program, pypi};

use crate::serve::resp_clients::server;

fn run(program: impl AsRef<Path>, words: &[&str]) -> String {
    let program = program.as_ref();
    let name = program.display();
    let output = Command::new(program).args(words).output().unwrap();
    let Output { status, stdout, stderr } = output;
    let (out, err) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{name} {words:?}: {status}\n{out}\n{err}");
    out.into_owned()
}

fn redis_cli(at: SocketAddr, words: &str) -> String {
    let port = at.port().to_string();
    let words = words.split(' ');
    let all: Vec<&str> = ["-p", &port].into_iter().chain(words).collect();
    run(program("redis-cli"), &all)
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
    desk.write("commands", &"CL.THROTTLE piped 9999 1 86400\r\n".repeat(5_000));
    let commands = std::fs::File::open(desk.path("commands")).unwrap();
    let port = server.resp.port().to_string();
    let output = Command::new(program("redis-cli"))
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
        for command in ["CL.THROTTLE bench 99 1 86400", "TG.CHECK endpoint /search", "PING"] {
            let options = ["-p", &port, "-n", "2000", "-c", "20", "-P", "16", "-q"];
            let words = version.iter().copied().chain(options).chain(command.split(' '));
            let told = run(program("redis-benchmark"), &words.collect::<Vec<_>>());
            assert!(told.contains("requests per second"), "{told}");
            assert!(!told.contains("rror") && !told.contains("WARNING"), "{told}");
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
    let python = pypi("python");
    let port = server.resp.port().to_string();
    let told = run(python, &["-c", include_str!("redis_py.py"), &port]);
    assert_eq!(told, "done\n");
}
