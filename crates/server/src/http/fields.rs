//! The header fields that carry the numbers, whoever writes them.

use tollgate::{Micros, Ruling};
use tollgate_core::Decision;
use tollgate_wire::{
    headers::{self, Policy},
    http1::Reply,
};

use super::answer;
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
    let reply = match wording.fields {
        Fields::Vendor => vendor(reply, answer, wording.reset),
        Fields::Draft => draft(reply, answer),
        Fields::Both => draft(vendor(reply, answer, wording.reset), answer),
    };
    retry_after(reply, answer)
}

/// With `Retry-After` on a denial where waiting helps, and how often there was one of late if anybody counts.
pub(crate) fn retry_after<L: Lines>(reply: L, answer: &Answer) -> L {
    let reply = match answer.retry_after_s() {
        Some(seconds) => reply.number(headers::RETRY_AFTER, seconds),
        None => reply,
    };
    match answer.rejections() {
        Some(rejections) => reply.number("X-Rejection-Count", rejections),
        None => reply,
    }
}

/// With why the request is allowed or denied.
pub(crate) fn reason<L: Lines>(reply: L, name: &'static str, ruling: &Ruling) -> L {
    let word = ruling.reason().word();
    reply.with(name, |out| out.extend_from_slice(word.as_bytes()))
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
    reply = reply.number(headers::LIMIT, limit).number(headers::REMAINING, remaining);
    let Some(reset) = answer::reset(answer) else {
        return reply;
    };
    let reset = match reset_as {
        ResetAs::Epoch => reset,
        ResetAs::Seconds => {
            let since = answer.at().as_micros();
            let until = reset.saturating_mul(1_000_000);
            until.saturating_sub(since).div_ceil(1_000_000)
        }
    };
    reply.number(headers::RESET, reset)
}

/// Structured fields: every limit that was met as a policy, and the standing of the one shown.
fn draft<L: Lines>(reply: L, answer: &Answer) -> L {
    let ruling = &answer.ruling;
    let Some((shown, decision)) = ruling.shown() else {
        return stopped(reply, ruling);
    };
    let policies = ruling.decisions().map(|(met, decision)| Policy {
        name: ruling.policy_of(met),
        quota: decision.limit(),
        window_us: Some(met.period.length().get()),
    });
    let reply = reply.with(headers::POLICY, |out| {
        headers::write_policies(policies, out);
    });
    let until_more = Some(until_more(answer, decision));
    reply.with(headers::STANDING, |out| {
        let name = ruling.policy_of(shown);
        headers::write_standing(&name, decision.remaining(), until_more, out);
    })
}

/// A block is a policy of nothing.
fn stopped<L: Lines>(reply: L, ruling: &Ruling) -> L {
    let Some(rule) = ruling.rule() else {
        return reply;
    };
    let name = rule.name.as_str();
    let policy = Policy { name: name.into(), quota: 0, window_us: None };
    let reply = reply.with(headers::POLICY, |out| {
        headers::write_policies([policy], out);
    });
    reply.with(headers::STANDING, |out| {
        headers::write_standing(name, 0, None, out);
    })
}

/// Seconds until there is more: on a denial what `Retry-After` says, but for its jitter.
fn until_more(answer: &Answer, decision: &Decision) -> u64 {
    let reset = || Micros::from(decision.reset_after()).as_secs_ceil();
    answer.promised_s().unwrap_or_else(reset)
}
