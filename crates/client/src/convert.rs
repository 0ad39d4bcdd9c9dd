//! From what a server told to what the client says.

use std::{sync::Arc, time::Duration};

use tollgate_core::{Limit, Reason, Timestamp};
use tollgate_wire::check::{LimitTold, ProblemTold, Told};

use crate::{Answer, Error, Fault, Source, Standing};

/// A decision of a server. Over HTTP some of its times are dates; `now` is the time of day.
pub(crate) fn answer(told: &Told, status: Option<u16>, now: Timestamp) -> Answer {
    let limits: Arc<[Standing]> = told.limits.iter().map(|limit| standing(limit, now)).collect();
    let shown = limits.iter().find(|limit| told.rule.as_deref() == Some(&*limit.rule));
    let reset_after =
        shown.filter(|shown| Some(shown.limit) == told.limit).map(|shown| shown.reset_after);
    let told_after = after(told.reset_ms, told.reset, now);
    let reset_after = match told.allowed {
        true => reset_after.or(told_after),
        // A rule or a penalty may ask a denied client to stay away for longer than the limit does.
        false => reset_after.max(told_after),
    };
    Answer {
        is_allowed: told.allowed,
        source: Source::Server,
        reason: reason(told),
        limit: told.limit,
        remaining: told.remaining,
        reset_after,
        retry_after: told.retry_after_ms.map(Duration::from_millis),
        retry_after_s: told.retry_after,
        delay: Duration::from_millis(told.delay_ms),
        rule: told.rule.as_deref().map(Into::into),
        status: match told.status.or(status.filter(|status| *status != 200)) {
            _ if told.allowed => 200,
            Some(status) => status,
            // A block has no limit that could be met.
            None if told.limits.is_empty() => 403,
            None => 429,
        },
        message: told.message.clone(),
        decision_id: told.decision_id.clone(),
        limits,
    }
}

/// As the server says. RESP and older servers do not: a denial without a limit is a block.
fn reason(told: &Told) -> Reason {
    let word = told.reason.as_deref();
    let inferred = || match told.allowed {
        true => Reason::Allowed,
        false if told.limits.is_empty() && told.limit.unwrap_or(0) == 0 => Reason::Blocked,
        false => Reason::Throttled,
    };
    word.and_then(Reason::from_word).unwrap_or_else(inferred)
}

fn standing(told: &LimitTold, now: Timestamp) -> Standing {
    let limit = told.per.as_deref().and_then(|per| per.parse::<Limit>().ok());
    Standing {
        rule: (*told.rule).into(),
        limit: told.limit,
        window: limit.map_or(Duration::ZERO, |limit| limit.period().length().into()),
        remaining: told.remaining,
        reset_after: after(told.reset_ms, told.reset, now).unwrap_or_default(),
    }
}

/// How long until then: as it was told, or by our own clock.
fn after(millis: Option<u64>, date: Option<u64>, now: Timestamp) -> Option<Duration> {
    let until = |date: u64| Duration::from_micros(Timestamp::from_secs(date).since(now).get());
    let told = millis.map(Duration::from_millis);
    told.or_else(|| date.map(until))
}

/// Why a server did not decide.
pub(crate) fn error(problem: &ProblemTold) -> Error {
    let fault = match problem.status {
        400 | 413 | 422 => Fault::Question,
        401 => Fault::Credentials,
        403 => Fault::Trust,
        _ => Fault::Server,
    };
    let status = problem.status;
    match &*problem.detail {
        "" => Error::new(fault, format!("it answered with status {status}")),
        detail => Error::new(fault, detail),
    }
}

#[cfg(test)]
mod tests {
    use tollgate_wire::check::read_answer;

    use super::*;

    fn reason_of(status: u16, body: &str) -> Reason {
        let told = read_answer(status, body.as_bytes()).unwrap().unwrap();
        answer(&told, Some(status), Timestamp::EPOCH).reason()
    }

    // Proves: S1
    #[test]
    fn the_reason_is_read_and_inferred_where_a_server_does_not_say() {
        for reason in Reason::ALL {
            let body = format!(r#"{{"allowed":false,"limit":0,"reason":"{reason}"}}"#);
            assert_eq!(reason_of(403, &body), reason);
        }
        for (status, body, reason) in [
            (200, r#"{"allowed":true,"limit":5}"#, Reason::Allowed),
            (429, r#"{"allowed":false,"limit":5}"#, Reason::Throttled),
            (403, r#"{"allowed":false,"limit":0}"#, Reason::Blocked),
            // A word of a later version.
            (429, r#"{"allowed":false,"limit":5,"reason":"shed"}"#, Reason::Throttled),
        ] {
            assert_eq!(reason_of(status, body), reason, "{body}");
        }
    }
}
