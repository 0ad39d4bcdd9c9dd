//! No server outlives the one who started it, however that one ends.

use std::{
    env, fs,
    io::Read as _,
    panic,
    path::{Path, PathBuf},
    process::{Child, Stdio},
    time::Duration,
};

use tollgate_testkit::{one_test, postgres::Postgres, wait_for};

const LONG: Duration = Duration::from_secs(240);

/// Where the process that is to die writes what it has started; set only by the tests here.
const REPORT: &str = "TOLLGATE_TEST_REPORT";

/// What must be gone.
struct Traces {
    /// The server, its children, and the shell that watches them.
    processes: Vec<u32>,
    folder: PathBuf,
}

impl Traces {
    fn of(server: &Postgres) -> Self {
        let id = server.process_id();
        let mut processes = family(id);
        processes.push(parent(id).unwrap());
        assert!(processes.len() > 3, "a server has helpers: {processes:?}");
        Self { processes, folder: server.folder().to_owned() }
    }

    fn remain(&self) -> bool {
        let lives = |id: &u32| Path::new(&format!("/proc/{id}")).exists();
        self.processes.iter().any(lives) || self.folder.exists()
    }

    fn vanish(&self) {
        wait_for("the end of the server", LONG, || (!self.remain()).then_some(()));
    }
}

fn parent(id: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

fn family(id: u32) -> Vec<u32> {
    let all = fs::read_dir("/proc").unwrap();
    let ids = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter(|&other| other == id || parent(other) == Some(id)).collect()
}

#[test]
fn a_dropped_server_is_gone_at_once() {
    let server = Postgres::start();
    let traces = Traces::of(&server);
    assert!(traces.remain());
    drop(server);
    assert!(!traces.remain());
}

#[test]
fn a_paused_and_a_stopped_server_are_dropped_too() {
    let mut server = Postgres::start();
    let traces = Traces::of(&server);
    server.pause();
    drop(server);
    assert!(!traces.remain());

    let mut server = Postgres::start();
    let traces = Traces::of(&server);
    server.stop();
    drop(server);
    assert!(!traces.remain());
}

#[test]
fn a_test_that_panics_leaves_no_server() {
    let mut traces = None;
    let ended = panic::catch_unwind(panic::AssertUnwindSafe(|| {
        let server = Postgres::start();
        traces = Some(Traces::of(&server));
        panic::resume_unwind(Box::new("a failed test"));
    }));
    assert!(ended.is_err());
    assert!(!traces.unwrap().remain());
}

#[test]
fn a_process_that_is_killed_leaves_no_server() {
    let (mut process, traces) = other_process("paused");
    assert!(traces.remain());
    process.kill().unwrap();
    process.wait().unwrap();
    traces.vanish();
}

#[test]
fn a_process_that_ends_leaves_no_shared_server() {
    let (mut process, traces) = other_process("shared");
    assert!(traces.remain());
    drop(process.stdin.take());
    assert!(process.wait().unwrap().success());
    traces.vanish();
}

/// Not a test by itself: what the two above run in a process of its own, which starts a server,
/// says what it started, and lives until its input ends.
#[test]
fn in_a_process_of_its_own() {
    let Some(report) = env::var_os(REPORT) else {
        return;
    };
    let report = PathBuf::from(report);
    let mut own;
    let server = if report.ends_with("paused") {
        own = Postgres::start();
        own.pause();
        &own
    } else {
        Postgres::shared()
    };
    let Traces { processes, folder } = Traces::of(server);
    let words = processes.iter().map(u32::to_string).collect::<Vec<_>>();
    let draft = report.with_extension("draft");
    fs::write(&draft, format!("{}\n{}", folder.display(), words.join(" "))).unwrap();
    fs::rename(&draft, &report).unwrap();
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

fn other_process(kind: &str) -> (Child, Traces) {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join(kind);
    let process = one_test(module_path!(), "in_a_process_of_its_own")
        .env(REPORT, &report)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let text = wait_for("a server in another process", LONG, || fs::read_to_string(&report).ok());
    let (folder, words) = text.split_once('\n').unwrap();
    let traces = Traces {
        processes: words.split(' ').map(|word| word.parse().unwrap()).collect(),
        folder: PathBuf::from(folder),
    };
    (process, traces)
}
