//! Waiting for what is outside this process: real servers do not follow our clock.

use std::{
    thread,
    time::{Duration, Instant},
};

const PAUSE: Duration = Duration::from_millis(5);

/// Asks again and again until there is an answer. Only for real processes and sockets: whatever
/// takes a clock is given one that is moved.
///
/// ```
/// use std::time::Duration;
///
/// let mut asked = 0;
/// let answer = tollgate_testkit::wait_for("the third time", Duration::from_secs(5), || {
///     asked += 1;
///     (asked == 3).then_some("now")
/// });
/// assert_eq!(answer, "now");
/// ```
///
/// # Panics
///
/// If the deadline passes first; `what` says what was missing.
pub fn wait_for<T>(what: &str, deadline: Duration, ask: impl FnMut() -> Option<T>) -> T {
    poll(deadline, ask).unwrap_or_else(|| panic!("{what}: not within {deadline:?}"))
}

/// The answer, or `None` when the deadline has passed. Asks once at least, and once at the end.
#[expect(clippy::disallowed_methods, reason = "a real server is waited for in real time")]
pub(crate) fn poll<T>(deadline: Duration, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        let is_over = start.elapsed() >= deadline;
        let answer = ask();
        if answer.is_some() || is_over {
            return answer;
        }
        thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::poll;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a real deadline is measured in real time")]
    fn a_deadline_ends_the_wait() {
        let deadline = Duration::from_millis(20);
        let start = Instant::now();
        let mut asked_after = Duration::ZERO;
        let answer = poll(deadline, || {
            asked_after = start.elapsed();
            None::<()>
        });
        assert_eq!(answer, None);
        assert!(asked_after >= deadline, "asked at the end: {asked_after:?}");
    }

    #[test]
    fn what_is_there_is_found_though_the_deadline_has_passed() {
        assert_eq!(poll(Duration::ZERO, || Some(7)), Some(7));
    }
}
