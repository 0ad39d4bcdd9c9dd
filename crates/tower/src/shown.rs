//! The numbers that a client is shown.

use http::{HeaderMap, HeaderName, HeaderValue};
use tollgate::{Limit, Micros};
use tollgate_wire::headers::{Policy, write_policies, write_standing};

use crate::{
    Fields, Outcome, ResetAs, numbers,
    outcome::seconds,
    settings::Settings,
    standing::{Standing, standings},
};

static LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
static REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
static RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
static STANDING: HeaderName = HeaderName::from_static("ratelimit");
static POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
static SHADOW: HeaderName = HeaderName::from_static("tollgate-shadow");

/// The header fields of an outcome.
#[derive(Debug)]
pub(crate) struct Shown {
    vendor: Option<Vendor>,
    draft: Option<Box<Draft>>,
    shadow: Option<HeaderValue>,
}

#[derive(Debug)]
struct Vendor {
    limit: u64,
    remaining: u64,
    reset: Option<u64>,
}

#[derive(Debug)]
struct Draft {
    policy: HeaderValue,
    standing: HeaderValue,
}

impl Shown {
    /// What is shown of this; `limits` are those of a plain limiter.
    pub(crate) fn of(
        outcome: &Outcome,
        settings: &Settings,
        limits: impl FnOnce() -> Vec<Limit>,
    ) -> Self {
        let (vendor, draft) = match settings.fields {
            Fields::Vendor => (vendor(outcome, settings.reset_as), None),
            Fields::Draft => (None, draft(outcome, settings, &limits())),
            Fields::Both => {
                (vendor(outcome, settings.reset_as), draft(outcome, settings, &limits()))
            }
        };
        Self { vendor, draft, shadow: None }
    }

    /// No number at all.
    pub(crate) const fn nothing() -> Self {
        Self { vendor: None, draft: None, shadow: None }
    }

    /// With the label of a denial that was not enforced.
    pub(crate) fn shadowed(mut self) -> Self {
        self.shadow = Some(HeaderValue::from_static("denied"));
        self
    }

    /// Adds the fields to a response of the service, unless there are some: those of a layer within, or the service's
    /// own.
    pub(crate) fn complete(self, headers: &mut HeaderMap) {
        if let Some(shadow) = &self.shadow {
            headers.insert(&SHADOW, shadow.clone());
        }
        // To look at all names is faster than to look for two: there are few, and most are known by number.
        let is_number = |name: &HeaderName| *name == LIMIT || *name == STANDING;
        if !headers.keys().any(is_number) {
            self.write(headers);
        }
    }

    /// Adds the numbers.
    pub(crate) fn write(self, headers: &mut HeaderMap) {
        if let Some(vendor) = self.vendor {
            headers.insert(&LIMIT, numbers::value(vendor.limit));
            headers.insert(&REMAINING, numbers::value(vendor.remaining));
            if let Some(reset) = vendor.reset {
                headers.insert(&RESET, numbers::value(reset));
            }
        }
        if let Some(draft) = self.draft {
            headers.insert(&POLICY, draft.policy);
            headers.insert(&STANDING, draft.standing);
        }
    }
}

fn vendor(outcome: &Outcome, reset_as: ResetAs) -> Option<Vendor> {
    let at = outcome.at();
    let reset = outcome.reset_after().map(|after| {
        let reset = at.saturating_add(Micros::from(after)).as_secs_ceil();
        match reset_as {
            ResetAs::Epoch => reset,
            ResetAs::Seconds => {
                let until = reset.saturating_mul(1_000_000);
                until.saturating_sub(at.as_micros()).div_ceil(1_000_000)
            }
        }
    });
    Some(Vendor { limit: outcome.limit()?, remaining: outcome.remaining()?, reset })
}

fn draft(outcome: &Outcome, settings: &Settings, limits: &[Limit]) -> Option<Box<Draft>> {
    let standings = standings(outcome, &settings.name, limits);
    let (mut policy, mut standing) = (Vec::new(), Vec::new());
    match standings.iter().find(|standing| standing.is_shown) {
        Some(shown) => {
            write_policies(standings.iter().map(Standing::policy), &mut policy);
            let until_more = until_more(outcome, shown);
            write_standing(&shown.name, shown.remaining, Some(until_more), &mut standing);
        }
        // A block is a policy of nothing.
        None => {
            let rule = outcome.rule().filter(|_| !outcome.is_allowed())?;
            let block = Policy { name: rule.into(), quota: 0, window_us: None };
            write_policies([block], &mut policy);
            write_standing(rule, 0, None, &mut standing);
        }
    }
    Some(Box::new(Draft {
        policy: HeaderValue::from_maybe_shared(policy).ok()?,
        standing: HeaderValue::from_maybe_shared(standing).ok()?,
    }))
}

/// Seconds until there is more: on a denial what `Retry-After` says, but for the jitter of a server.
fn until_more(outcome: &Outcome, shown: &Standing<'_>) -> u64 {
    let reset = outcome.reset_after().unwrap_or(shown.reset_after);
    match outcome.retry_after_s() {
        Some(wait) => seconds(reset).min(wait),
        None => seconds(shown.reset_after),
    }
}
