//! The examples in the documentation, which cargo runs and reports as text.

use std::path::Path;
use std::time::Duration;

use cargo_metadata::Metadata;

use super::follow::follow;
use super::options::Narrowing;
use super::report::{Failure, Report};
use super::target::Reach;
use crate::stopwatch::{Stopwatch, seconds};
use crate::task::{Task, root};
use crate::workspace;

pub(crate) fn run(
    narrowing: &Narrowing,
    reach: Reach,
    deadline: Duration,
    report: &mut Report,
) -> anyhow::Result<()> {
    let watch = Stopwatch::start();
    let task = reach.hold(task(narrowing));
    println!("$ {task}");
    let mut tests = Doctests::default();
    let ending = follow(&task, deadline, |line| {
        if tests.read(line) {
            println!("{line}");
        }
    })?;
    let metadata = workspace::metadata()?;
    report.passed += tests.passed;
    report.ignored += tests.ignored;
    for name in &tests.failed {
        report.add_failure(Failure {
            what: format!("doctest: {name}"),
            again: again(name, &metadata),
        });
    }
    if tests.failed.is_empty() && !ending.success() {
        report.add_failure(Failure { what: format!("doctests: {ending}"), again: task });
    }
    let (passed, failed) = (tests.passed, tests.failed.len());
    let time = seconds(watch.elapsed());
    println!("doctests: {passed} passed, {failed} failed, {time}");
    Ok(())
}

fn task(narrowing: &Narrowing) -> Task {
    Task::cargo(["test", "--doc", "--no-fail-fast"])
        .args(narrowing.cargo())
        .args(["--"])
        .args(narrowing.names.iter().cloned())
        .args(narrowing.libtest.iter().cloned())
}

/// The command that runs one example again. Its name begins with its file, seen from the top folder.
fn again(name: &str, metadata: &Metadata) -> Task {
    let file = root().join(name.split(" - ").next().unwrap_or(name));
    let holds = |package: &&cargo_metadata::Package| {
        let folder = package.manifest_path.parent();
        folder.is_some_and(|folder| file.starts_with(Path::new(folder)))
    };
    let task = Task::cargo(["test", "--doc"]);
    let task = match metadata.packages.iter().find(holds) {
        Some(package) => task.args(["-p", package.name.as_str()]),
        None => task.args(["--workspace"]),
    };
    task.args(["--", name])
}

/// What the text says so far.
#[derive(Debug, Default, PartialEq, Eq)]
struct Doctests {
    passed: usize,
    ignored: usize,
    failed: Vec<String>,
    /// Between `failures:` and the result of the crate.
    in_failures: bool,
}

impl Doctests {
    /// Whether the line is worth showing: what failed, and what is not about tests.
    fn read(&mut self, line: &str) -> bool {
        if line.starts_with("test result: ") {
            self.in_failures = false;
            return !line.starts_with("test result: ok");
        }
        if self.in_failures {
            return true;
        }
        if line == "failures:" {
            self.in_failures = true;
            return true;
        }
        let Some((name, outcome)) = test(line) else {
            let is_noise = line.is_empty()
                || line.starts_with("running ")
                || line.starts_with("all doctests ran in ");
            return !is_noise;
        };
        match outcome {
            "ok" => self.passed += 1,
            "FAILED" => self.failed.push(name.to_owned()),
            _ => self.ignored += 1,
        }
        outcome == "FAILED"
    }
}

/// The name and the outcome in `test src/lib.rs - f (line 3) ... ok`. Examples that must not compile say so
/// behind their name.
fn test(line: &str) -> Option<(&str, &str)> {
    let (name, outcome) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    let name = match name.rsplit_once(" - ") {
        Some((name, "compile" | "compile fail" | "should panic")) => name,
        _ => name,
    };
    Some((name, outcome))
}

#[cfg(test)]
mod tests {
    use super::{Doctests, Narrowing, again, task};
    use crate::workspace::metadata;

    const OUTPUT: &str = "
running 3 tests
test crates/core/src/limit.rs - Limit (line 12) ... ok
test crates/core/src/limit.rs - Limit::new (line 30) ... FAILED
test crates/core/src/key.rs - Key (line 4) - compile fail ... ok
test crates/core/src/key.rs - Key (line 9) ... ignored

failures:

---- crates/core/src/limit.rs - Limit::new (line 30) stdout ----
assertion failed

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out
";

    #[test]
    fn the_text_is_counted_and_only_failures_are_shown() {
        let mut tests = Doctests::default();
        let shown: Vec<&str> = OUTPUT.lines().filter(|line| tests.read(line)).collect();
        assert_eq!((tests.passed, tests.ignored), (2, 1));
        assert_eq!(tests.failed, ["crates/core/src/limit.rs - Limit::new (line 30)"]);
        assert!(!tests.in_failures);
        assert!(shown.contains(&"assertion failed"), "{shown:?}");
        assert!(!shown.iter().any(|line| line.ends_with(" ok")), "{shown:?}");
    }

    #[test]
    fn a_failed_example_is_repeated_in_its_package() {
        let metadata = metadata().unwrap();
        let name = "crates/core/src/limit.rs - Limit::new (line 30)";
        assert_eq!(
            again(name, &metadata).to_string(),
            "cargo test --doc -p tollgate-core -- 'crates/core/src/limit.rs - Limit::new (line 30)'"
        );
    }

    #[test]
    fn no_crate_stops_the_next() {
        assert_eq!(
            task(&Narrowing::default()).to_string(),
            "cargo test --doc --no-fail-fast --workspace --exclude tollgate-benches --"
        );
    }
}
