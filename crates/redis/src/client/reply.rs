//! What an error of Redis says about a script: whether it ran, and what to do.

use redis::{ErrorKind, RedisError, ServerError};

use super::call::{Cause, Failure};

/// What was answered instead of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The script is not known there.
    NoScript,
    /// The slot belongs to this address.
    Moved(String),
    /// This key is at this address for the moment.
    Ask(String),
    /// Some of the keys are here, some there.
    TryAgain,
    /// It was a primary.
    ReadOnly,
    /// There is nothing to be done now.
    Failed(Failure),
}

/// What an error means. All of those before the script was started have changed nothing. Of those that a
/// command *within* a script met, Redis keeps what the script has written before, so only these changed
/// nothing for certain:
///
/// - OOM, READONLY, MISCONF and NOREPLICAS meet the first write already. (A script that has written is not
///   stopped by OOM any more, and the others do not come and go while a script runs.)
/// - WRONGTYPE, because scripts read every key before they write to any ([`super::call::Call`]).
/// - A script that was killed: Redis refuses to kill one that has written.
pub(super) fn refusal(error: &ServerError) -> Refusal {
    let details = error.details().unwrap_or_default();
    if is_from_within(details) {
        return within(error.code(), details);
    }
    let address = || details.split_ascii_whitespace().nth(1).map(str::to_owned);
    let failed = |cause| Refusal::Failed(Failure::NotRun(cause));
    match error.code() {
        "NOSCRIPT" => Refusal::NoScript,
        "MOVED" => address().map_or(failed(Cause::Moving), Refusal::Moved),
        "ASK" => address().map_or(failed(Cause::Moving), Refusal::Ask),
        "TRYAGAIN" => Refusal::TryAgain,
        "READONLY" => Refusal::ReadOnly,
        code => failed(cause(code).unwrap_or(Cause::Other)),
    }
}

/// Whether a command within a script met it, or the script itself.
fn is_from_within(details: &str) -> bool {
    details.contains("user_script") || details.contains("Error running script")
}

/// Before version 7 the error is quoted within the text of another.
fn within(code: &str, details: &str) -> Refusal {
    let words = details.split_ascii_whitespace();
    let is_said = |word: &&str| matches!(*word, "WRONGTYPE" | "READONLY") || is_first_write(word);
    let quoted = words.map(|word| word.trim_start_matches('-')).find(is_said);
    let failed = |cause| Refusal::Failed(Failure::NotRun(cause));
    match if code == "ERR" { quoted.unwrap_or(code) } else { code } {
        "READONLY" => Refusal::ReadOnly,
        "WRONGTYPE" => failed(Cause::Foreign),
        code if is_first_write(code) => failed(Cause::Full),
        _ if details.contains("Script killed by user") => failed(Cause::Busy),
        code => Refusal::Failed(Failure::InDoubt(cause(code).unwrap_or(Cause::Other))),
    }
}

fn is_first_write(code: &str) -> bool {
    matches!(code, "OOM" | "MISCONF" | "NOREPLICAS")
}

/// The cause behind a code, if it is one that we know.
pub(super) fn cause(code: &str) -> Option<Cause> {
    match code {
        "LOADING" | "MASTERDOWN" | "CLUSTERDOWN" => Some(Cause::NotReady),
        "BUSY" => Some(Cause::Busy),
        "OOM" | "MISCONF" | "NOREPLICAS" => Some(Cause::Full),
        "NOAUTH" | "WRONGPASS" | "NOPERM" => Some(Cause::Forbidden),
        "MOVED" | "ASK" | "TRYAGAIN" | "READONLY" => Some(Cause::Moving),
        "WRONGTYPE" => Some(Cause::Foreign),
        _ => None,
    }
}

/// Why a connection was refused.
pub(super) fn cause_of_refusal(error: &RedisError) -> Cause {
    if error.kind() == ErrorKind::AuthenticationFailed {
        return Cause::Forbidden;
    }
    error.code().and_then(cause).unwrap_or(Cause::Unreachable)
}

#[cfg(test)]
mod tests {
    use redis::Value;

    use super::*;

    fn read(line: &str) -> Refusal {
        let text = format!("-{line}\r\n");
        match redis::parse_redis_value(text.as_bytes()).unwrap() {
            Value::ServerError(error) => refusal(&error),
            other => panic!("no error: {other:?}"),
        }
    }

    fn not_run(line: &str) -> Option<Cause> {
        match read(line) {
            Refusal::Failed(Failure::NotRun(cause)) => Some(cause),
            _ => None,
        }
    }

    // Proves: C2, C6
    #[test]
    fn what_came_before_the_script_has_changed_nothing() {
        assert_eq!(read("NOSCRIPT No matching script. Please use EVAL."), Refusal::NoScript);
        let there = "10.0.0.1:7000".to_owned();
        assert_eq!(read("MOVED 3999 10.0.0.1:7000"), Refusal::Moved(there.clone()));
        assert_eq!(read("ASK 3999 10.0.0.1:7000"), Refusal::Ask(there));
        assert_eq!(
            read("TRYAGAIN Multiple keys request during rehashing of slot"),
            Refusal::TryAgain
        );
        for (line, cause) in [
            ("LOADING Redis is loading the dataset in memory", Cause::NotReady),
            ("CLUSTERDOWN The cluster is down", Cause::NotReady),
            ("CLUSTERDOWN Hash slot not served", Cause::NotReady),
            ("MASTERDOWN Link with MASTER is down", Cause::NotReady),
            ("BUSY Redis is busy running a script.", Cause::Busy),
            ("OOM command not allowed when used memory > 'maxmemory'.", Cause::Full),
            ("NOAUTH Authentication required.", Cause::Forbidden),
            ("NOPERM this user has no permissions to run 'evalsha'", Cause::Forbidden),
            ("MOVED", Cause::Moving),
            ("ERR unknown command", Cause::Other),
        ] {
            assert_eq!(not_run(line), Some(cause), "{line}");
        }
    }

    #[test]
    fn what_came_within_a_script_is_in_doubt_unless_it_cannot_have_written() {
        let seven = "script: 6b1bf486c81ceb7edf3c093f4c48582e38c0e791, on @user_script:1.";
        let six = "ERR Error running script (call to f_6b1bf486): @user_script:1:";
        let wrong_type = "WRONGTYPE Operation against a key holding the wrong kind of value";
        let full = "OOM command not allowed when used memory > 'maxmemory'.";
        let replica = "READONLY You can't write against a read only replica.";
        for (inner, cause) in [(wrong_type, Cause::Foreign), (full, Cause::Full)] {
            assert_eq!(not_run(&format!("{inner} {seven}")), Some(cause));
            assert_eq!(not_run(&format!("{six} {inner}")), Some(cause));
            assert_eq!(not_run(&format!("{six} @user_script: 1: -{inner}")), Some(cause));
        }
        assert_eq!(read(&format!("{replica} {seven}")), Refusal::ReadOnly);
        assert_eq!(read(&format!("{six} {replica}")), Refusal::ReadOnly);
        let killed = "Script killed by user with SCRIPT KILL...";
        assert_eq!(not_run(&format!("{six} {killed}")), Some(Cause::Busy));
        for (line, cause) in [
            (format!("NOPERM no permissions {seven}"), Cause::Forbidden),
            (format!("ERR user_script:1: attempt to index a nil value {seven}"), Cause::Other),
            (format!("{six} attempt to index a nil value"), Cause::Other),
        ] {
            assert_eq!(read(&line), Refusal::Failed(Failure::InDoubt(cause)), "{line}");
        }
    }
}
