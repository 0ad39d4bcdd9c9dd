//! How every limit that was met stands.

use std::{borrow::Cow, time::Duration};

use tollgate::{Limit, Micros, Period, Timestamp, Unit};
use tollgate_wire::{check::LimitAnswer, headers::Policy};

use crate::{
    Outcome,
    outcome::{By, Told, ToldStanding},
};

/// One limit that was met.
#[derive(Debug)]
pub(crate) struct Standing<'o> {
    /// What clients see it called.
    pub(crate) name: Cow<'o, str>,
    pub(crate) rule: &'o str,
    pub(crate) limit: u64,
    pub(crate) window: Duration,
    pub(crate) remaining: u64,
    pub(crate) reset_after: Duration,
    pub(crate) is_denied: bool,
    /// Whether its numbers are those that are shown.
    pub(crate) is_shown: bool,
}

impl Standing<'_> {
    pub(crate) fn policy(&self) -> Policy<'_> {
        Policy {
            name: Cow::Borrowed(&self.name),
            quota: self.limit,
            window_us: Some(Micros::from(self.window).get()),
        }
    }

    pub(crate) fn answer(&self, at: Timestamp) -> LimitAnswer<'_> {
        LimitAnswer {
            rule: self.rule,
            limit: self.limit,
            window_us: Micros::from(self.window).get(),
            remaining: self.remaining,
            reset: at.saturating_add(Micros::from(self.reset_after)).as_secs_ceil(),
            told: None,
        }
    }
}

/// Every limit that was met. Those of a plain limiter are called `name`, and `limits` are what they are.
pub(crate) fn standings<'o>(
    outcome: &'o Outcome,
    name: &'o str,
    limits: &[Limit],
) -> Vec<Standing<'o>> {
    match &outcome.by {
        By::Limiter(verdict) => {
            let decisions = verdict.decisions().iter().enumerate().zip(limits);
            let several = limits.len() > 1;
            let standing =
                |((place, decision), limit): ((usize, &tollgate::Decision), &Limit)| Standing {
                    name: policy_name(name, several.then(|| limit.period())),
                    rule: name,
                    limit: decision.limit(),
                    window: limit.period().length().into(),
                    remaining: decision.remaining(),
                    reset_after: decision.reset_after(),
                    is_denied: !decision.is_allowed(),
                    is_shown: verdict.binding_index() == Some(place),
                };
            decisions.map(standing).collect()
        }
        By::Gate(ruling) => {
            let shown = ruling.shown_place();
            let decisions = ruling.decisions().enumerate();
            let standing = |(place, (met, decision)): (
                usize,
                (&'o tollgate::MatchedLimit, &tollgate::Decision),
            )| {
                Standing {
                    name: ruling.policy_of(met),
                    rule: met.rule.name.as_str(),
                    limit: decision.limit(),
                    window: met.period.length().into(),
                    remaining: decision.remaining(),
                    reset_after: decision.reset_after(),
                    is_denied: !decision.is_allowed(),
                    is_shown: shown == Some(place),
                }
            };
            decisions.map(standing).collect()
        }
        By::Server(told) => of_server(told),
    }
}

fn of_server(told: &Told) -> Vec<Standing<'_>> {
    let is_shown = |standing: &&ToldStanding| {
        let numbers = (Some(standing.limit), Some(standing.remaining));
        numbers == (told.limit, told.remaining) && told.rule.as_deref() == Some(&*standing.rule)
    };
    let shown = told.standings.iter().position(|standing| is_shown(&standing));
    let standing = |(place, standing): (usize, &'_ ToldStanding)| {
        let of_rule = told.standings.iter().filter(|other| other.rule == standing.rule);
        let several = of_rule.count() > 1;
        (place, several)
    };
    let named = told.standings.iter().enumerate().map(standing);
    let all = told.standings.iter().zip(named);
    let written = all.map(|(standing, (place, several))| Standing {
        name: policy_name(&standing.rule, several.then(|| period_of(standing.window)).flatten()),
        rule: &standing.rule,
        limit: standing.limit,
        window: standing.window,
        remaining: standing.remaining,
        reset_after: standing.reset_after,
        // Of a limit that denied, nothing is left to show.
        is_denied: !told.is_allowed && standing.remaining == 0,
        is_shown: shown == Some(place),
    });
    written.collect()
}

/// With the window where there are several.
fn policy_name(name: &str, period: Option<Period>) -> Cow<'_, str> {
    match period {
        None => Cow::Borrowed(name),
        Some(period) => Cow::Owned(format!("{name}:{period}")),
    }
}

/// The period of this length, by the largest unit that fits.
fn period_of(window: Duration) -> Option<Period> {
    let window = Micros::from(window).get();
    let units = [
        Unit::Month,
        Unit::Week,
        Unit::Day,
        Unit::Hour,
        Unit::Minute,
        Unit::Second,
        Unit::Millisecond,
    ];
    let mut units = units.into_iter();
    let unit = units.find(|unit| window > 0 && window % unit.length().get() == 0)?;
    Period::new(window / unit.length().get(), unit).ok()
}
