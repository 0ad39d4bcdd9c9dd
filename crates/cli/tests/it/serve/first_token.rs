//! The admin token of a first start: on a terminal or in a file of its owner, never in a log.

use std::{
    fs::{self, File, OpenOptions},
    io::Read as _,
    os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _},
    process::{Child, Stdio},
};

use rustix::{
    fs::{OFlags, fcntl_setfl},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
};
use serde_json::Value;
use tollgate_testkit::wait_for;

use crate::common::{Desk, http::Http, server::LONG};

const FILE: &str = "tollgate-data/first-token";
const ADDRESSES: [&str; 8] = [
    "--http",
    "127.0.0.1:0",
    "--grpc",
    "127.0.0.1:0",
    "--resp",
    "127.0.0.1:0",
    "--admin",
    "127.0.0.1:0",
];

/// A server that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Starts a server whose standard output and error go to `out`, and reads what it says until it has said `last`.
fn says(desk: &Desk, words: &[&str], out: File, mut read: File, last: &str) -> (Running, String) {
    let mut command = desk.command(&["serve"]);
    command.args(ADDRESSES).args(words).stdin(Stdio::null());
    command.stdout(out.try_clone().unwrap()).stderr(out);
    let running = Running(command.spawn().unwrap());
    drop(command);
    let mut said = String::new();
    wait_for("the announcement", LONG, || {
        let mut piece = [0; 4096];
        let count = read.read(&mut piece).unwrap_or_default();
        said += &String::from_utf8_lossy(&piece[..count]);
        said.contains(last).then_some(())
    });
    (running, said)
}

/// A file that is written and read.
fn log(desk: &Desk, name: &str) -> (File, File) {
    let path = desk.path(name);
    let out = OpenOptions::new().append(true).create(true).open(&path);
    (out.unwrap(), File::open(&path).unwrap())
}

/// A terminal, by its two ends.
fn terminal() -> (File, File) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let path = std::path::Path::new(std::ffi::OsStr::from_bytes(name.to_bytes()));
    let theirs = OpenOptions::new().read(true).write(true).open(path);
    // A server that says nothing must not keep the test.
    fcntl_setfl(&ours, OFlags::RDWR | OFlags::NONBLOCK).unwrap();
    (theirs.unwrap(), File::from(ours))
}

fn admin_of(said: &str) -> std::net::SocketAddr {
    let (_, rest) = said.split_once("admin      http://").unwrap();
    let address = rest.split_whitespace().next().unwrap();
    address.parse().unwrap()
}

/// Whether the admin side knows the token.
fn opens(admin: std::net::SocketAddr, token: &str) -> bool {
    let bearer = format!("Bearer {token}");
    let headers = [("Authorization", bearer.as_str())];
    let mut http = Http::to(admin);
    http.ask("GET", "/ratelimit/tokens", &headers, "").status == 200
}

// Proves: I5
#[test]
fn redirected_output_holds_no_token() {
    let desk = Desk::new();
    let (out, read) = log(&desk, "log");
    let words = ["--admin-auth", "required"];
    let (_running, said) = says(&desk, &words, out, read, "Try it");
    assert!(!said.contains("tgt_"), "{said}");
    assert!(said.contains("in the file ./tollgate-data/first-token"), "{said}");
    let mode = fs::metadata(desk.path(FILE)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let token = desk.read(FILE);
    assert!(token.starts_with("tgt_"), "{token}");
    assert!(opens(admin_of(&said), token.trim()));
}

// Proves: I5
#[test]
fn json_holds_no_token_wherever_it_goes() {
    for is_terminal in [false, true] {
        let desk = Desk::new();
        let (out, read) = match is_terminal {
            true => terminal(),
            false => log(&desk, "log"),
        };
        let (_running, said) = says(&desk, &["--json"], out, read, "\n}");
        assert!(!said.contains("tgt_"), "{said}");
        assert!(said.contains("\"first_token_file\": \"./tollgate-data/first-token\""), "{said}");
        assert!(desk.path(FILE).exists());
    }
}

// Proves: I5
#[test]
fn a_terminal_shows_the_token_and_then_it_is_nowhere() {
    let desk = Desk::new();
    let (out, read) = terminal();
    let words = ["--admin-auth", "required"];
    let (_running, said) = says(&desk, &words, out, read, "Try it");
    let (_, rest) = said.split_once("tgt_").unwrap();
    let token = format!("tgt_{}", rest.split_whitespace().next().unwrap());
    assert!(opens(admin_of(&said), &token));
    wait_for("the file to go", LONG, || (!desk.path(FILE).exists()).then_some(()));
}

// Proves: I5
#[test]
fn the_file_goes_with_its_token() {
    let desk = Desk::new();
    let server = desk.serve(&["--admin-auth", "required"]);
    let bearer = format!("Bearer {}", desk.read(FILE).trim());
    let headers = [("Authorization", bearer.as_str())];
    let mut http = server.administration();
    let listed: Value = http.ask("GET", "/ratelimit/tokens", &headers, "").with(200).json();
    assert_eq!(listed["tokens"][0]["name"], "first-start");
    let path = format!("/ratelimit/tokens/{}/revoke", listed["tokens"][0]["id"].as_str().unwrap());
    http.ask("POST", &path, &headers, "").with(200);
    wait_for("the file to go", 2 * LONG, || (!desk.path(FILE).exists()).then_some(()));
    server.stop();
    let again = desk.serve(&["--admin-auth", "required"]);
    assert_eq!(again.announcement["first_token_file"], Value::Null);
}
