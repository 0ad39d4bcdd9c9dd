//! The header fields that carry the numbers, whoever writes them.

use tollgate::{Met, Micros, Ruling};
use tollgate_core::Decision;
use tollgate_wire::http1::Reply;

use super::convert;
use crate::{Fields, ResetAs, Wording, engine::Answer};

/// What takes header fields.
pub(crate) trait Lines: Sized {
    /// With a field that is a number.
    fn number(self, name: &'static str, value: u64) -> Self {
        self.with(name, |out| {
            out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
        })
    }

    /// With a field whose value is written by `write`.
    fn with(self, name: &'static str, write: impl FnOnce(&mut Vec<u8>)) -> Self;
}

impl Lines for Reply<'_> {
    fn with(self, name: &'static str, write: impl FnOnce(&mut Vec<u8>)) -> Self {
        Reply::with(self, name, write)
    }
}

/// With the fields that the setting names, and `Retry-After` on every denial where waiting helps.
pub(crate) fn write<L: Lines>(reply: L, answer: &Answer, wording: Wording) -> L {
    let ruling = &answer.ruling;
    let reply = match wording.fields {
        Fields::Vendor => vendor(reply, answer, wording.reset),
        Fields::Draft => draft(reply, ruling),
        Fields::Both => draft(vendor(reply, answer, wording.reset), ruling),
    };
    retry_after(reply, answer)
}

/// With `Retry-After` on a denial where waiting helps, and how often there was one of late if anybody counts.
pub(crate) fn retry_after<L: Lines>(reply: L, answer: &Answer) -> L {
    let reply = match answer.retry_after_s() {
        Some(seconds) => reply.number("Retry-After", seconds),
        None => reply,
    };
    match answer.rejections() {
        Some(rejections) => reply.number("X-Rejection-Count", rejections),
        None => reply,
    }
}

/// With the failure policy that decided, if one did.
pub(crate) fn fallback<L: Lines>(reply: L, name: &'static str, ruling: &Ruling) -> L {
    match ruling.fallback() {
        None => reply,
        Some(policy) => reply.with(name, |out| out.extend_from_slice(policy.word().as_bytes())),
    }
}

fn vendor<L: Lines>(mut reply: L, answer: &Answer, reset_as: ResetAs) -> L {
    let ruling = &answer.ruling;
    let (Some(limit), Some(remaining)) = (ruling.limit(), ruling.remaining()) else {
        return reply;
    };
    reply = reply
        .number("X-RateLimit-Limit", limit)
        .number("X-RateLimit-Remaining", remaining);
    let Some(reset) = convert::reset(answer) else {
        return reply;
    };
    let reset = match reset_as {
        ResetAs::Epoch => reset,
        ResetAs::Seconds => {
            let since = answer.at.as_micros();
            let until = reset.saturating_mul(1_000_000);
            until.saturating_sub(since).div_ceil(1_000_000)
        }
    };
    reply.number("X-RateLimit-Reset", reset)
}

/// Structured fields: every limit that was met as a policy, and the standing of the one shown.
fn draft<L: Lines>(reply: L, ruling: &Ruling) -> L {
    let Some((shown, decision)) = ruling.shown() else {
        return stopped(reply, ruling);
    };
    let reply = reply.with("RateLimit-Policy", |out| {
        for (place, (met, decision)) in ruling.decisions().enumerate() {
            if place > 0 {
                out.extend_from_slice(b", ");
            }
            write_policy(ruling, met, out);
            parameter(b";q=", decision.limit(), out);
            let window = met.period.length().get();
            if window >= 1_000_000 {
                parameter(b";w=", window / 1_000_000, out);
            }
        }
    });
    reply.with("RateLimit", |out| {
        write_policy(ruling, shown, out);
        parameter(b";r=", decision.remaining(), out);
        parameter(b";t=", until_more(ruling, decision), out);
    })
}

/// A block is a policy of nothing.
fn stopped<L: Lines>(reply: L, ruling: &Ruling) -> L {
    let Some(rule) = ruling.rule() else {
        return reply;
    };
    let name = |out: &mut Vec<u8>| quote(rule.name.as_str(), out);
    let reply = reply.with("RateLimit-Policy", |out| {
        name(out);
        parameter(b";q=", 0, out);
    });
    reply.with("RateLimit", |out| {
        name(out);
        parameter(b";r=", 0, out);
    })
}

/// Seconds until there is more: never later than what `Retry-After` says.
fn until_more(ruling: &Ruling, decision: &Decision) -> u64 {
    let reset = Micros::from(decision.reset_after()).as_secs_ceil();
    match ruling.retry_after_s() {
        Some(wait) if !ruling.is_allowed() => reset.min(wait),
        _ => reset,
    }
}

/// The name of a policy: the rule's, with the window where the rule has several.
pub(super) fn policy(ruling: &Ruling, met: &Met) -> String {
    let of_rule = ruling
        .decisions()
        .filter(|(other, _)| other.rule.id == met.rule.id);
    match of_rule.count() {
        0 | 1 => met.rule.name.as_str().to_owned(),
        _ => format!("{}:{}", met.rule.name.as_str(), met.period),
    }
}

fn write_policy(ruling: &Ruling, met: &Met, out: &mut Vec<u8>) {
    quote(&policy(ruling, met), out);
}

/// Names hold neither quotes nor backslashes.
fn quote(name: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.push(b'"');
}

fn parameter(name: &[u8], value: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(name);
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}
