//! Files that are never done being read.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use tollgate_testkit::wait_for;

use super::house::{House, SEALED};
use crate::common::{http::Http, server::LONG};

/// Holds a lease on a file: whoever opens it waits until the kernel takes the lease away, which is after
/// 45 s, as on a mount whose server is gone.
struct Lease(Child);

const HOLDER: &str = "import fcntl, os, signal, sys\n\
    signal.signal(signal.SIGIO, signal.SIG_IGN)\n\
    file = os.open(sys.argv[1], os.O_RDONLY)\n\
    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)\n\
    print('held', flush=True)\n\
    sys.stdin.read()\n";

impl Lease {
    /// The file must not be open anywhere, so it may take more than one try.
    fn on(path: &Path) -> Self {
        let python = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../target/python/bin/python"
        );
        wait_for("a lease", LONG, || {
            let mut command = Command::new(python);
            command.args(["-c", HOLDER]).arg(path);
            command.stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.spawn().unwrap();
            let mut told = String::new();
            let mut out = BufReader::new(child.stdout.take().unwrap());
            out.read_line(&mut told).unwrap();
            let lease = Self(child);
            (told == "held\n").then_some(lease)
        })
    }

    /// Whether somebody waits to open the file.
    fn keeps_somebody_waiting(&self) -> bool {
        let locks = fs::read_to_string("/proc/locks").unwrap();
        let id = self.0.id().to_string();
        let is_ours = |line: &str| line.split_whitespace().any(|word| word == id);
        let mut breaking = locks.lines().filter(|line| line.contains("BREAKING"));
        breaking.any(is_ours)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn is_told(http: &mut Http, words: &str) {
    wait_for(words, LONG, || {
        let ready = http.get("/readyz").with(200).json();
        ready["degraded"].to_string().contains(words).then_some(())
    });
}

// Proves: S7, U5
#[test]
fn a_file_that_hangs_is_told_of_and_keeps_nobody_waiting() {
    let house = House::new();
    let server = house.serve(&[]);
    let lease = Lease::on(&house.ours.certificate);
    let mut http = house.http(server.http, None);
    is_told(&mut http, "to read it takes longer than 5s");
    for at in [server.http, server.admin] {
        house.knock(at, None).unwrap().with(200);
    }
    assert!(lease.keeps_somebody_waiting());
    let (status, log) = server.stop();
    assert!(status.success(), "{log}");
    assert!(lease.keeps_somebody_waiting(), "the file was waited for");
}

// Proves: S7
#[test]
fn a_pipe_is_no_certificate() {
    let house = House::new();
    let server = house.serve(&[]);
    let (pipe, there) = (house.desk.path("pipe"), &house.ours.certificate);
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let words = ["--tls-cert", "pipe", "--tls-key", "server.key"];
    house
        .desk
        .run(&[&["serve", "--check"], &words[..]].concat())
        .with(1)
        .says("it is not a regular file");
    let sound = fs::read(there).unwrap();
    fs::rename(&pipe, there).unwrap();
    let mut http = house.http(server.http, None);
    is_told(&mut http, "it is not a regular file");

    // A link to one is as good as one: so Kubernetes mounts secrets.
    fs::write(house.desk.path("linked"), sound).unwrap();
    fs::remove_file(there).unwrap();
    std::os::unix::fs::symlink("linked", there).unwrap();
    wait_for("all is well again", LONG, || {
        let ready = http.get("/readyz").with(200).json();
        let degraded = ready["degraded"].as_array().unwrap();
        degraded.is_empty().then_some(())
    });
    house
        .desk
        .run(&[&["serve", "--check"], &SEALED[..]].concat())
        .fine();
}
