//! The end of a run: what failed and how to repeat it, where the time went.

use std::time::Duration;

use super::event::Outcome;
use super::target::Target;
use super::test_run::TestRun;
use crate::stopwatch::{Stopwatch, seconds};
use crate::table;
use crate::task::Task;

const SLOWEST: usize = 10;

#[derive(Debug, Default)]
pub(crate) struct Report {
    phases: Vec<(&'static str, Duration)>,
    times: Vec<TestTime>,
    failures: Vec<Failure>,
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) ignored: usize,
}

/// Something that went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// For instance `tollgate-redis it: leases::a_lease_ends`.
    pub(crate) what: String,
    pub(crate) again: Task,
}

#[derive(Debug)]
struct TestTime {
    what: String,
    time: Duration,
}

impl Report {
    /// Does the work of a phase, under a heading, and remembers how long it took.
    pub(crate) fn phase<T>(&mut self, name: &'static str, work: impl FnOnce(&mut Self) -> T) -> T {
        println!("\n== {name}");
        let watch = Stopwatch::start();
        let result = work(self);
        self.phases.push((name, watch.elapsed()));
        result
    }

    pub(crate) fn add_test_run(&mut self, target: &Target, run: &TestRun) {
        self.passed += run.count(Outcome::Passed);
        self.ignored += run.count(Outcome::Ignored);
        self.failed += run.failed();
        self.failures.extend(run.failures(target));
        let label = target.label();
        self.times.extend(
            run.ended
                .iter()
                .map(|test| TestTime { what: format!("{label}: {}", test.name), time: test.time }),
        );
    }

    pub(crate) fn add_failure(&mut self, failure: Failure) {
        self.failed += 1;
        self.failures.push(failure);
    }

    /// Whether nothing was tested at all.
    pub(crate) const fn is_empty(&self) -> bool {
        self.passed + self.failed + self.ignored == 0
    }

    pub(crate) fn success(&self) -> bool {
        self.failed == 0
    }

    pub(crate) fn render(&self) -> String {
        let phases = self.phases.iter();
        let phases = phases.map(|&(name, time)| vec![name.to_owned(), seconds(time)]);
        let phases = table::render(&["phase", "time"], &phases.collect::<Vec<_>>());
        format!(
            "{}\n{phases}\n{}{}{}",
            self.failure_list(),
            self.slowest_list(),
            self.ignored_line(),
            self.closing_line()
        )
    }

    fn failure_list(&self) -> String {
        if self.failures.is_empty() {
            return String::new();
        }
        let failures = self.failures.iter();
        let lines = failures.map(|Failure { what, again }| format!("  {what}\n    {again}\n"));
        format!("\nfailed, each with the command that repeats it:\n{}", lines.collect::<String>())
    }

    fn slowest_list(&self) -> String {
        let mut times: Vec<&TestTime> = self.times.iter().collect();
        times.sort_by_key(|test| std::cmp::Reverse(test.time));
        times.truncate(SLOWEST);
        let rows = times.iter().map(|test| vec![seconds(test.time), test.what.clone()]);
        let rows: Vec<_> = rows.collect();
        match rows.len() {
            0 => String::new(),
            _ => table::render(&["time", "slowest tests"], &rows) + "\n",
        }
    }

    fn ignored_line(&self) -> String {
        match self.ignored {
            0 => String::new(),
            count => format!("{count} ignored; `cargo xtask soak` runs the long ones\n"),
        }
    }

    /// The last line, which programs read.
    fn closing_line(&self) -> String {
        format!("{} passed, {} failed\n", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, Failure, Report, TestTime};
    use crate::task::Task;

    fn report() -> Report {
        let mut report = Report {
            phases: vec![("build", Duration::from_secs(61))],
            passed: 12,
            ..Report::default()
        };
        for number in 1..=11 {
            report.times.push(TestTime {
                what: format!("p it: test_{number}"),
                time: Duration::from_secs(number),
            });
        }
        report
    }

    #[test]
    fn the_closing_line_stands_alone_at_the_end() {
        let text = report().render();
        assert!(text.ends_with("\n\n12 passed, 0 failed\n"), "{text}");
        assert!(report().success());
    }

    #[test]
    fn failures_come_with_the_command_that_repeats_them() {
        let mut report = report();
        report.add_failure(Failure {
            what: "p it: a".to_owned(),
            again: Task::cargo(["test", "-p", "p"]),
        });
        let text = report.render();
        assert!(text.contains("  p it: a\n    cargo test -p p\n"), "{text}");
        assert!(text.ends_with("\n12 passed, 1 failed\n"), "{text}");
        assert!(!report.success());
    }

    #[test]
    fn phases_and_the_ten_slowest_tests_are_listed() {
        let text = report().render();
        assert!(text.contains("build  61.0 s\n"), "{text}");
        let (first, second) = (text.find("11.0 s"), text.find("10.0 s"));
        assert!(first.is_some() && first < second, "{text}");
        assert!(text.contains("p it: test_2\n"), "{text}");
        assert!(!text.contains("p it: test_1\n"), "{text}");
    }

    #[test]
    fn a_phase_is_timed_and_its_result_handed_on() {
        let mut report = Report::default();
        assert_eq!(report.phase("build", |_| 7), 7);
        assert_eq!(report.phases.len(), 1);
    }
}
