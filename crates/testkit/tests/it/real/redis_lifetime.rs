//! No Redis outlives the one who started it, however that one ends.

use std::{
    env, fs,
    io::Read as _,
    panic,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tollgate_testkit::{
    one_test,
    redis::{Cluster, Redis},
    wait_for,
};

const LONG: Duration = Duration::from_secs(240);

/// Where the process that is to die writes what it has started; set only by the tests here.
const REPORT: &str = "TOLLGATE_TEST_REPORT";

/// What must be gone: the process and the folder of each server.
fn traces(servers: &[&Redis]) -> Vec<PathBuf> {
    let of = |server: &&Redis| {
        let process = PathBuf::from(format!("/proc/{}", server.process_id()));
        [process, server.folder().to_owned()]
    };
    servers.iter().flat_map(of).collect()
}

fn nodes(cluster: &Cluster) -> Vec<&Redis> {
    cluster.nodes().map(|node| cluster.node(node)).collect()
}

#[test]
fn a_dropped_cluster_is_gone_at_once() {
    let cluster = Cluster::start();
    cluster.node(4).pause();
    let traces = traces(&nodes(&cluster));
    assert!(traces.iter().all(|trace| trace.exists()));
    drop(cluster);
    assert!(!traces.iter().any(|trace| trace.exists()));
}

#[test]
fn a_test_that_panics_leaves_no_server() {
    let mut left = Vec::new();
    let ended = panic::catch_unwind(panic::AssertUnwindSafe(|| {
        let server = Redis::start();
        left = traces(&[&server]);
        panic::resume_unwind(Box::new("a failed test"));
    }));
    assert!(ended.is_err());
    assert_eq!(left.len(), 2);
    assert!(!left.iter().any(|trace| trace.exists()));
}

#[test]
fn a_process_that_is_killed_leaves_no_cluster() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report");
    let mut process = one_test(module_path!(), "in_a_process_of_its_own")
        .env(REPORT, &report)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let text = wait_for("a cluster in another process", LONG, || fs::read_to_string(&report).ok());
    let traces: Vec<&Path> = text.lines().map(Path::new).collect();
    assert_eq!(traces.len(), 12);
    assert!(traces.iter().all(|trace| trace.exists()));
    process.kill().unwrap();
    process.wait().unwrap();
    wait_for("the end of the cluster", LONG, || {
        (!traces.iter().any(|trace| trace.exists())).then_some(())
    });
}

/// Not a test by itself: what the one above runs in a process of its own, which starts a cluster, says what it
/// started, and lives until its input ends.
#[test]
fn in_a_process_of_its_own() {
    let Some(report) = env::var_os(REPORT).map(PathBuf::from) else {
        return;
    };
    let cluster = Cluster::shared();
    cluster.node(1).pause();
    let lines = traces(&nodes(cluster));
    let lines: Vec<String> = lines.iter().map(|path| path.display().to_string()).collect();
    let draft = report.with_extension("draft");
    fs::write(&draft, lines.join("\n")).unwrap();
    fs::rename(&draft, &report).unwrap();
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}
