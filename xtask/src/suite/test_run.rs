//! One test binary from its first event to its end.

use std::collections::BTreeSet;
use std::time::Duration;

use super::event::{self, Ended, Event, Outcome};
use super::follow::{Ending, follow};
use super::report::Failure;
use super::target::Target;
use crate::stopwatch::{Stopwatch, seconds};
use crate::task::Task;

/// What the tests of a binary came to.
#[derive(Debug)]
pub(crate) struct TestRun {
    /// In the order of their ends.
    pub(crate) ended: Vec<Ended>,
    /// Tests that had started when the binary ended.
    running: BTreeSet<String>,
    /// Tests that had not started when the binary ended.
    waiting: BTreeSet<String>,
    ending: Ending,
    time: Duration,
}

/// Runs a binary that reports these tests as JSON. Failures are shown at once.
pub(crate) fn run(
    task: &Task,
    names: &[String],
    deadline: Duration,
    mut show: impl FnMut(&str),
) -> anyhow::Result<TestRun> {
    let watch = Stopwatch::start();
    let mut tests = Tests::new(names);
    let ending = follow(task, deadline, |line| {
        let (text, event) = event::parse(line);
        if !text.is_empty() {
            show(text);
        }
        if let Some(event) = event {
            tests.apply(event, &mut show);
        }
    })?;
    Ok(TestRun {
        ended: tests.ended,
        running: tests.running,
        waiting: tests.waiting,
        ending,
        time: watch.elapsed(),
    })
}

/// Where each test of a running binary stands.
#[derive(Debug)]
struct Tests {
    waiting: BTreeSet<String>,
    running: BTreeSet<String>,
    ended: Vec<Ended>,
}

impl Tests {
    fn new(names: &[String]) -> Self {
        Self {
            waiting: names.iter().cloned().collect(),
            running: BTreeSet::new(),
            ended: Vec::new(),
        }
    }

    fn apply(&mut self, event: Event, show: &mut impl FnMut(&str)) {
        match event {
            Event::Started(name) => {
                self.waiting.remove(&name);
                self.running.insert(name);
            }
            Event::Slow(name) => show(&format!("  runs for over a minute: {name}")),
            Event::Ended(ended) => {
                self.waiting.remove(&ended.name);
                self.running.remove(&ended.name);
                if ended.outcome == Outcome::Failed {
                    show(&format!("---- FAILED: {}\n{}", ended.name, ended.output));
                }
                self.ended.push(ended);
            }
            Event::Suite => (),
        }
    }
}

impl TestRun {
    pub(crate) fn count(&self, outcome: Outcome) -> usize {
        let ended = self.ended.iter();
        ended.filter(|test| test.outcome == outcome).count()
    }

    /// Tests without a good end, at least one if the binary itself has failed.
    pub(crate) fn failed(&self) -> usize {
        let failed = self.count(Outcome::Failed) + self.running.len() + self.waiting.len();
        failed.max(usize::from(!self.ending.success()))
    }

    /// For instance `210 passed, 0 failed, 31.2 s`.
    pub(crate) fn line(&self) -> String {
        let passed = self.count(Outcome::Passed);
        let ignored = match self.count(Outcome::Ignored) {
            0 => String::new(),
            count => format!(", {count} ignored"),
        };
        let (failed, time) = (self.failed(), seconds(self.time));
        format!("{passed} passed, {failed} failed{ignored}, {time}")
    }

    pub(crate) fn failures(&self, target: &Target) -> Vec<Failure> {
        let label = target.label();
        let test = |name: &str, note: &str| Failure {
            what: format!("{label}: {name}{note}"),
            again: target.test_again(name),
        };
        let whole =
            |what: String| Failure { what: format!("{label}: {what}"), again: target.again() };
        let ending = self.ending;
        let failed = self.ended.iter();
        let failed = failed.filter(|test| test.outcome == Outcome::Failed);
        let failed = failed.map(|ended| test(&ended.name, ""));
        let note = format!(" ({ending} before it ended)");
        let running = self.running.iter().map(|name| test(name, &note));
        let mut failures: Vec<Failure> = failed.chain(running).collect();
        if !self.waiting.is_empty() {
            let count = self.waiting.len();
            failures.push(whole(format!("{count} tests did not run ({ending})")));
        }
        if failures.is_empty() && !ending.success() {
            failures.push(whole(format!("every test passed, then {ending}")));
        }
        failures
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, Ending, Outcome, Task, TestRun, run};
    use crate::suite::target::{Kind, Target};

    /// Far beyond what any of these scripts needs.
    const LONG: Duration = Duration::from_secs(300);

    /// A shell script in the place of a test binary.
    fn script(text: &str, names: &[&str]) -> (TestRun, Vec<String>) {
        let task = Task::new("sh").args(["-c", text]);
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut shown = Vec::new();
        let run = run(&task, &names, LONG, |text| shown.push(text.to_owned()));
        (run.unwrap(), shown)
    }

    fn failures(run: &TestRun) -> Vec<String> {
        let target = Target {
            package: "p".to_owned(),
            version: "0.1.0".to_owned(),
            kind: Kind::Test("it".to_owned()),
            folder: "/p".into(),
            executable: "/p/it".into(),
        };
        let failures = run.failures(&target).into_iter();
        let lines = failures.map(|failure| format!("{} | {}", failure.what, failure.again));
        lines.collect()
    }

    #[test]
    fn passed_failed_and_ignored_tests_are_counted_and_a_failure_is_shown() {
        let text = r#"
            echo '{ "type": "suite", "event": "started", "test_count": 3 }'
            echo '{ "type": "test", "event": "started", "name": "a" }'
            echo '{ "type": "test", "name": "a", "event": "ok", "exec_time": 0.5 }'
            echo '{ "type": "test", "name": "b", "event": "failed", "exec_time": 0.1, "stdout": "left: 1" }'
            echo '{ "type": "test", "name": "c", "event": "ignored" }'
            exit 101"#;
        let (run, shown) = script(text, &["a", "b", "c"]);
        assert_eq!(run.count(Outcome::Passed), 1);
        assert!(run.line().starts_with("1 passed, 1 failed, 1 ignored, "));
        assert_eq!(shown, ["---- FAILED: b\nleft: 1"]);
        assert_eq!(failures(&run), ["p it: b | cargo test -p p --test it -- --exact b"]);
    }

    #[test]
    fn tests_that_were_killed_or_never_ran_have_failed() {
        let run = TestRun {
            ended: Vec::new(),
            running: ["a".to_owned()].into(),
            waiting: ["b".to_owned(), "c".to_owned()].into(),
            ending: Ending::Killed(Duration::from_secs(60)),
            time: Duration::from_secs(61),
        };
        assert_eq!(run.line(), "0 passed, 3 failed, 61.0 s");
        assert_eq!(
            failures(&run),
            [
                "p it: a (killed after 60 s before it ended) | cargo test -p p --test it -- --exact a",
                "p it: 2 tests did not run (killed after 60 s) | cargo test -p p --test it",
            ]
        );
    }

    #[test]
    fn a_test_that_brings_the_binary_down_is_named() {
        let text = r#"echo '{ "type": "test", "event": "started", "name": "a" }'; kill -ABRT $$"#;
        let (run, _) = script(text, &["a"]);
        let failures = failures(&run);
        assert!(failures[0].starts_with("p it: a (signal: 6"), "{failures:?}");
    }

    #[test]
    fn a_binary_that_ends_well_without_its_tests_has_failed() {
        let (run, _) = script("exit 0", &["a"]);
        assert_eq!(run.failed(), 1);
        assert_eq!(failures(&run).len(), 1);
    }

    #[test]
    fn a_binary_that_fails_after_its_tests_has_failed() {
        let text = r#"echo '{ "type": "test", "name": "a", "event": "ok" }'; exit 5"#;
        let (run, _) = script(text, &["a"]);
        assert_eq!(run.failed(), 1);
        assert_eq!(
            failures(&run),
            ["p it: every test passed, then exit status: 5 | cargo test -p p --test it"]
        );
    }

    #[test]
    fn what_is_no_event_is_passed_on() {
        let (run, shown) = script("echo hello", &[]);
        assert_eq!(shown, ["hello"]);
        assert_eq!(run.failed(), 0);
    }
}
