//! Files that are never done being read.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use tollgate_testkit::{pypi, wait_for};

use crate::{
    common::server::LONG,
    tls::{house::House, pipes::is_told},
};

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
        let python = pypi("python");
        wait_for("a lease", LONG, || {
            let mut command = Command::new(&python);
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
