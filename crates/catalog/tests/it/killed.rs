//! A process that is killed while it writes leaves the last good revision.
// Proves: R6

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
    process::{Child, Stdio},
    sync::Arc,
    time::Duration,
};

use tollgate_catalog::{Base, Catalog, DatabaseUrl, Options};
use tollgate_rules::RuleSet;
use tollgate_testkit::{one_test, wait_for};

use crate::common::{Place, SOON, at_last, dana, rule, set};

/// Half a second's work to write, so that most kills hit a write.
fn version(number: u64) -> Arc<RuleSet> {
    let priority = i32::try_from(number).unwrap();
    set((0..400).map(|at| rule(&format!("r{at}"), priority)))
}

/// What the killed process runs: writes for ever, and says after each write how far it is. Its input
/// names the database and a file for that.
#[test]
#[ignore = "run by the tests of this file"]
fn writes_until_it_is_killed() {
    let read = || {
        let mut line = String::new();
        io::stdin().read_line(&mut line).unwrap();
        line.trim().to_owned()
    };
    let (url, progress) = (read(), read());
    let url: DatabaseUrl = url.parse().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let options = Options::default().call_max(SOON);
        let catalog = Catalog::open_with(&url, options).await.unwrap();
        loop {
            let next = catalog.head().await.unwrap().revision.get() + 1;
            let rules = version(next);
            // What the writer before was doing when it was killed may still be in the way.
            let written = at_last(|| catalog.apply(&rules, Base::Any, dana()));
            let written = written.await.unwrap();
            assert_eq!(written.revision.get(), next);
            // At once: a file that is written to is empty for a moment.
            let beside = format!("{progress}.new");
            fs::write(&beside, next.to_string()).unwrap();
            fs::rename(&beside, &progress).unwrap();
        }
    });
}

fn spawn(url: &str, progress: &Path) -> Child {
    let mut child = one_test(module_path!(), "writes_until_it_is_killed")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{url}\n{}", progress.display()).unwrap();
    child
}

pub(crate) async fn kills(place: Place, url: &str) {
    let progress = place.folder.path().join("progress");
    let said = || fs::read_to_string(&progress).ok().and_then(|text| text.parse::<u64>().ok());
    for round in 0..4_u64 {
        let before = said().unwrap_or_default();
        let mut child = spawn(url, &progress);
        wait_for("a write", SOON, || said().filter(|&now| now > before));
        tokio::time::sleep(Duration::from_millis(37 * round)).await;
        child.kill().unwrap();
        child.wait().unwrap();
        let catalog = place.open().await;
        let latest = catalog.latest().await.unwrap();
        let said = said().unwrap_or_default();
        assert!(latest.number.get() >= said, "what was confirmed is there");
        assert!(latest.number.get() <= said + 1);
        assert_eq!(latest.set, version(latest.number.get()), "all of a write or nothing");
        catalog.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_keeps_the_last_good_revision() {
    let place = Place::sqlite();
    let url = format!("{}", place.url);
    kills(place, &url).await;
}
