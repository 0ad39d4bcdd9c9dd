//! What a test binary says while it runs: libtest's JSON lines.

use std::time::Duration;

use serde::Deserialize;

/// Every line of libtest begins like this, written by hand in libtest and not by a serializer.
const OPENING: &str = "{ \"type\":";

/// One line of a test binary's output.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Event {
    /// The test runs now.
    Started(String),
    /// The test has run for a minute and runs on.
    Slow(String),
    Ended(Ended),
    /// The beginning and the end of the whole binary, whose counts we count ourselves.
    Suite,
}

/// A test that came to its end.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ended {
    pub(crate) name: String,
    pub(crate) outcome: Outcome,
    pub(crate) time: Duration,
    /// What the test printed; libtest tells it only of tests that failed.
    pub(crate) output: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Failed,
    Ignored,
}

#[derive(Debug, Deserialize)]
struct Raw {
    #[serde(rename = "type")]
    kind: String,
    event: String,
    name: Option<String>,
    exec_time: Option<f64>,
    stdout: Option<String>,
    message: Option<String>,
}

/// A line split into the text before libtest's event and the event. The text comes from programs that share the
/// binary's output, and need not end with a line break.
pub(crate) fn parse(line: &str) -> (&str, Option<Event>) {
    let Some(start) = line.find(OPENING) else {
        return (line, None);
    };
    let (text, json) = line.split_at(start);
    match serde_json::from_str(json).ok().and_then(event) {
        Some(event) => (text, Some(event)),
        None => (line, None),
    }
}

fn event(raw: Raw) -> Option<Event> {
    if raw.kind != "test" {
        return Some(Event::Suite);
    }
    let name = raw.name?;
    let outcome = match raw.event.as_str() {
        "started" => return Some(Event::Started(name)),
        "timeout" => return Some(Event::Slow(name)),
        "ok" => Outcome::Passed,
        "ignored" => Outcome::Ignored,
        // An event that this runner does not know must not pass for a success.
        _ => Outcome::Failed,
    };
    let parts = [raw.stdout, raw.message].into_iter().flatten();
    Some(Event::Ended(Ended {
        name,
        outcome,
        time: Duration::try_from_secs_f64(raw.exec_time.unwrap_or(0.0)).unwrap_or_default(),
        output: parts.collect::<Vec<_>>().join("\n"),
    }))
}

#[cfg(test)]
mod tests {
    use super::{Ended, Event, Outcome, parse};
    use std::time::Duration;

    fn ended(name: &str, outcome: Outcome, time: Duration, output: &str) -> Event {
        Event::Ended(Ended { name: name.to_owned(), outcome, time, output: output.to_owned() })
    }

    #[test]
    fn a_test_starts_and_passes() {
        let started = r#"{ "type": "test", "event": "started", "name": "a::b" }"#;
        assert_eq!(parse(started), ("", Some(Event::Started("a::b".to_owned()))));
        let passed = r#"{ "type": "test", "name": "a::b", "event": "ok", "exec_time": 0.25 }"#;
        let time = Duration::from_millis(250);
        assert_eq!(parse(passed).1, Some(ended("a::b", Outcome::Passed, time, "")));
    }

    #[test]
    fn a_failed_test_brings_its_output() {
        let line = r#"{ "type": "test", "name": "a", "event": "failed", "exec_time": 1.5, "stdout": "thread 'a' panicked\nleft: 1\n" }"#;
        let output = "thread 'a' panicked\nleft: 1\n";
        let time = Duration::from_millis(1500);
        assert_eq!(parse(line).1, Some(ended("a", Outcome::Failed, time, output)));
    }

    #[test]
    fn an_ignored_and_a_slow_test_are_told_apart() {
        let ignored = r#"{ "type": "test", "name": "soak", "event": "ignored" }"#;
        assert_eq!(parse(ignored).1, Some(ended("soak", Outcome::Ignored, Duration::ZERO, "")));
        let slow = r#"{ "type": "test", "event": "timeout", "name": "a" }"#;
        assert_eq!(parse(slow).1, Some(Event::Slow("a".to_owned())));
    }

    #[test]
    fn an_event_behind_other_output_is_found() {
        let line = r#"no line break{ "type": "test", "event": "started", "name": "a" }"#;
        assert_eq!(parse(line), ("no line break", Some(Event::Started("a".to_owned()))));
        assert_eq!(parse("just text"), ("just text", None));
        let broken = r#"{ "type": "test", "event": "#;
        assert_eq!(parse(broken), (broken, None));
    }

    #[test]
    fn an_unknown_end_of_a_test_counts_as_a_failure() {
        let line = r#"{ "type": "test", "name": "a", "event": "exploded" }"#;
        assert_eq!(parse(line).1, Some(ended("a", Outcome::Failed, Duration::ZERO, "")));
    }

    #[test]
    fn the_suite_itself_is_no_test() {
        let line = r#"{ "type": "suite", "event": "started", "test_count": 3 }"#;
        assert_eq!(parse(line), ("", Some(Event::Suite)));
    }
}
