//! What became of each mutant.

use std::time::Duration;

use crate::stopwatch::seconds;
use crate::table;

#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) outcome: Outcome,
    pub(crate) time: Duration,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The name of the first test that failed, or how the run ended without one.
    Caught(String),
    Survived,
    /// Caught by the compiler is not caught by a test; carries what the compiler said.
    DoesNotCompile(String),
}

impl Outcome {
    /// Judges a test run that was built beforehand, so that a failure is a test's.
    pub(crate) fn of_tests(code: Option<i32>, stdout: &str) -> Self {
        match code {
            Some(0) => Self::Survived,
            Some(TIMED_OUT) => Self::Caught("(a test that never ends)".to_owned()),
            _ => Self::Caught(
                first_failure(stdout)
                    .unwrap_or("(the tests aborted)")
                    .to_owned(),
            ),
        }
    }

    pub(crate) fn is_caught(&self) -> bool {
        matches!(self, Self::Caught(_))
    }
}

pub(crate) fn render(rows: &[Row]) -> String {
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let caught_by = match &row.outcome {
                Outcome::Caught(test) => test.as_str(),
                Outcome::Survived => "NOTHING: it survived",
                Outcome::DoesNotCompile(_) => "NOTHING: it does not compile",
            };
            vec![row.name.clone(), seconds(row.time), caught_by.to_owned()]
        })
        .collect();
    table::render(&["name", "time", "caught by"], &cells)
}

fn first_failure(stdout: &str) -> Option<&str> {
    stdout
        .lines()
        .find_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED"))
}

/// The exit code of coreutils' `timeout` when the time is up.
const TIMED_OUT: i32 = 124;

#[cfg(test)]
mod tests {
    use super::{Duration, Outcome, Row, render};

    const RED: &str = "running 2 tests\n\
        test laws::burst ... ok\n\
        test laws::steady ... FAILED\n\
        test laws::other ... FAILED\n";

    #[test]
    fn the_first_failing_test_is_named() {
        let outcome = Outcome::of_tests(Some(101), RED);
        assert_eq!(outcome, Outcome::Caught("laws::steady".to_owned()));
    }

    #[test]
    fn a_green_run_is_a_survivor() {
        assert!(!Outcome::of_tests(Some(0), "").is_caught());
    }

    #[test]
    fn a_hang_and_an_abort_are_caught() {
        assert!(Outcome::of_tests(Some(124), "").is_caught());
        assert!(Outcome::of_tests(None, "").is_caught());
    }

    #[test]
    fn survivors_and_broken_mutants_stand_out() {
        let row = |outcome| Row {
            name: "m".to_owned(),
            outcome,
            time: Duration::from_secs(1),
        };
        let rows = [
            row(Outcome::Survived),
            row(Outcome::DoesNotCompile(String::new())),
        ];
        assert!(rows.iter().all(|row| !row.outcome.is_caught()));
        assert_eq!(render(&rows).matches("NOTHING").count(), 2);
    }
}
