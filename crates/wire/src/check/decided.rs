//! Replies of the Redis protocol, as a client reads them.

use super::told::{LimitTold, ProblemTold, Read, Told, Unreadable};
use crate::resp::Reply;

/// Reads the reply to `TG.DECIDE`, and how many callers there are; or to `TG.PEEK`, which tells less.
///
/// # Errors
///
/// [`Unreadable`] for what a server would not say.
pub fn read_decided(reply: &Reply<'_>) -> Result<(Read, Option<u32>), Unreadable> {
    match reply {
        Reply::Error(words) => Ok((Err(problem(words)), None)),
        Reply::Array(items) => decided(items).ok_or(Unreadable),
        _ => Err(Unreadable),
    }
}

fn decided(items: &[Reply<'_>]) -> Option<(Read, Option<u32>)> {
    let [
        Reply::Integer(allowed),
        Reply::Integer(limit),
        Reply::Integer(remaining),
        Reply::Integer(retry_after_ms),
        Reply::Integer(reset_ms),
        rule,
        rest @ ..,
    ] = items
    else {
        return None;
    };
    let allowed = *allowed == 1;
    let retry_after_ms = positive(*retry_after_ms).filter(|_| !allowed);
    let mut told = Told {
        allowed,
        limit: positive(*limit),
        remaining: positive(*remaining),
        reset_ms: positive(*reset_ms).filter(|_| *limit >= 0),
        retry_after: retry_after_ms.map(|millis| millis.div_ceil(1_000).max(1)),
        retry_after_ms,
        rule: text(rule),
        ..Told::default()
    };
    match rest {
        [] => Some((Ok(told), None)),
        [
            Reply::Integer(delay_ms),
            Reply::Integer(callers),
            Reply::Array(limits),
            Reply::Integer(status),
            Reply::Integer(retry_after),
            message,
            ..,
        ] => {
            told.delay_ms = positive(*delay_ms)?;
            told.limits = limits.iter().map(limit_told).collect::<Option<_>>()?;
            told.status = u16::try_from(*status).ok();
            told.retry_after = positive(*retry_after);
            told.message = text(message);
            Some((Ok(told.bounded()), u32::try_from(*callers).ok()))
        }
        _ => None,
    }
}

fn limit_told(reply: &Reply<'_>) -> Option<LimitTold> {
    let Reply::Array(items) = reply else {
        return None;
    };
    let [
        rule,
        Reply::Integer(limit),
        Reply::Integer(remaining),
        Reply::Integer(reset_ms),
        per,
        algorithm,
        Reply::Integer(burst),
        key,
        Reply::Integer(overridden),
        cost,
        ..,
    ] = items.as_slice()
    else {
        return None;
    };
    let key = text(key)?;
    let fields = key.split(',').filter(|field| !field.is_empty());
    Some(LimitTold {
        rule: text(rule)?,
        limit: positive(*limit)?,
        remaining: positive(*remaining)?,
        reset: None,
        reset_ms: positive(*reset_ms),
        per: text(per),
        algorithm: text(algorithm),
        burst: positive(*burst),
        key: fields.map(Into::into).collect(),
        overridden: *overridden == 1,
        cost: text(cost),
    })
}

fn text(reply: &Reply<'_>) -> Option<Box<str>> {
    match reply {
        Reply::Bulk(bytes) | Reply::Simple(bytes) => str::from_utf8(bytes).ok().map(Into::into),
        _ => None,
    }
}

fn positive(number: i64) -> Option<u64> {
    u64::try_from(number).ok()
}

/// The first word of an error says of what kind it is. Whoever does not know the command is not a server of ours, or an
/// older one: that says nothing about the question.
fn problem(words: &[u8]) -> ProblemTold {
    let words = String::from_utf8_lossy(words);
    let (kind, detail) = words.split_once(' ').unwrap_or((&words, ""));
    let status = match kind {
        "UNAUTHENTICATED" => 401,
        "FORBIDDEN" | "NOAUTH" | "NOPERM" | "WRONGPASS" => 403,
        "UNAVAILABLE" => 503,
        "ERR" if !detail.is_empty() && !detail.starts_with("unknown command") => 400,
        _ => 502,
    };
    ProblemTold { status, detail: detail.into(), reason: None }
}
