//! Refusals of callers that proved nothing. Any program that reaches the listener causes as many as it likes, so they are
//! merged and take a bounded number of rows.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    time::Duration,
};

use serde_json::json;
use tollgate_catalog::{Author, Ended, Noted};
use tollgate_core::{Micros, Timestamp};

use crate::authority::{Authority, Caller, Refused};

/// How long refusals are merged for.
const SPAN: Duration = Duration::from_secs(3_600);
/// The most kinds of refusals that are told apart in a span; the rest shares one row. With two rows for each that is at
/// most 41 rows in a span, 984 in a day.
pub(super) const GROUPS_MAX: usize = 20;
/// What stands for an action, an object or a reason where they differ.
const SEVERAL: &str = "several";
/// Bits of an IPv4 address that are told apart.
const V4_BITS: u32 = 24;
/// Bits of an IPv6 address that are told apart: what one site has.
const V6_BITS: u32 = 48;

/// Refusals that are not on record yet.
#[derive(Debug, Default)]
pub(super) struct Strangers {
    groups: Vec<Group>,
    /// Those that found no group.
    rest: Option<Noted>,
    /// When the span began, by the steady clock.
    begun: Option<Timestamp>,
}

/// Refusals for the same reason, from the same network.
#[derive(Debug)]
struct Group {
    name: String,
    reason: Option<String>,
    network: String,
    pending: Option<Noted>,
    is_on_record: bool,
}

impl Strangers {
    /// Counts a refusal.
    pub(super) fn note(&mut self, noted: Noted) {
        let network = network(noted.author.from());
        let is_same = |group: &&mut Group| {
            group.network == network
                && group.name == noted.author.name()
                && group.reason == noted.after
        };
        if let Some(group) = self.groups.iter_mut().find(is_same) {
            group.pending = Some(match group.pending.take() {
                Some(pending) => merged(pending, &noted, &group.network),
                None => noted,
            });
            return;
        }
        if self.groups.len() < GROUPS_MAX {
            self.groups.push(Group {
                name: noted.author.name().to_owned(),
                reason: noted.after.clone(),
                network,
                pending: Some(noted),
                is_on_record: false,
            });
            return;
        }
        let times = self.rest.as_ref().map_or(0, |rest| rest.times);
        self.rest = Some(of_the_rest(times.saturating_add(noted.times)));
    }

    /// The rows that are due: the first of each group at once, what followed when the span is over.
    pub(super) fn due(&mut self, now: Timestamp) -> Vec<Noted> {
        let begun = *self.begun.get_or_insert(now);
        if now.since(begun) >= Micros::from(SPAN) {
            self.begun = Some(now);
            return self.all();
        }
        let fresh = self.groups.iter_mut().filter(|group| !group.is_on_record);
        fresh
            .filter_map(|group| {
                group.is_on_record = true;
                group.pending.take()
            })
            .collect()
    }

    /// All that is not on record yet.
    pub(super) fn all(&mut self) -> Vec<Noted> {
        let groups = std::mem::take(&mut self.groups);
        let pending = groups.into_iter().filter_map(|group| group.pending);
        pending.chain(self.rest.take()).collect()
    }
}

/// One row for both: what differs is not told.
fn merged(one: Noted, other: &Noted, network: &str) -> Noted {
    let mut author = one.author.clone();
    if author.from() != other.author.from() {
        author = author.calling_from(network);
    }
    let is_same_object = one.object == other.object;
    Noted {
        author,
        action: match one.action == other.action {
            true => one.action,
            false => SEVERAL.into(),
        },
        object: match is_same_object {
            true => one.object,
            false => (one.object.0, SEVERAL.into()),
        },
        times: one.times.saturating_add(other.times),
        ..one
    }
}

fn of_the_rest(times: u64) -> Noted {
    Noted {
        author: Author::new("unknown").calling_from("several networks"),
        action: SEVERAL.into(),
        object: ("request".into(), SEVERAL.into()),
        before: None,
        after: Some(json!({ "problem": SEVERAL }).to_string()),
        ended: Ended::Refused,
        times,
    }
}

/// The network of an address, as text; what is no address stands for itself.
fn network(from: Option<&str>) -> String {
    let from = from.unwrap_or_default();
    match from.parse::<IpAddr>().map(|address| address.to_canonical()) {
        Ok(IpAddr::V4(address)) => {
            let kept = Ipv4Addr::from_bits(address.to_bits() & (u32::MAX << (32 - V4_BITS)));
            format!("{kept}/{V4_BITS}")
        }
        Ok(IpAddr::V6(address)) => {
            let kept = Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << (128 - V6_BITS)));
            format!("{kept}/{V6_BITS}")
        }
        Err(_) => from.to_owned(),
    }
}

/// What somebody tried who was turned away.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tried {
    /// As the audit calls it, such as `counter.reset`.
    pub(crate) action: &'static str,
    /// As the protocol calls it, such as `TG.RESET`.
    pub(crate) command: &'static str,
}

impl Authority {
    /// Puts on record that somebody was turned away, and why.
    pub(crate) fn turned_away(
        &self,
        caller: Caller<'_>,
        from: Option<String>,
        tried: Tried,
        refused: Refused,
    ) {
        let (name, role) = self.named(caller);
        let author = Author::new(&name);
        let author = match role {
            Some(role) => author.acting_as(role.word()),
            None => author,
        };
        let author = match from {
            Some(from) => author.calling_from(&from),
            None => author,
        };
        let noted = Noted {
            author,
            action: tried.action.into(),
            object: ("request".into(), tried.command.into()),
            before: None,
            after: Some(
                json!({ "status": refused.status(), "problem": refused.word() }).to_string(),
            ),
            ended: Ended::Refused,
            times: 1,
        };
        match role.is_none() || refused.is_of_token() {
            true => self.record().note_stranger(noted),
            false => self.record().note(noted),
        }
    }
}

#[cfg(test)]
mod tests {
    use tollgate_testkit::Rng;

    use super::*;

    fn refusal(from: &str, action: &str, problem: &str) -> Noted {
        Noted {
            author: Author::new("unknown").calling_from(from).by_request("a"),
            action: action.into(),
            object: ("request".into(), format!("GET /{action}").into()),
            before: None,
            after: Some(json!({ "status": 401, "problem": problem }).to_string()),
            ended: Ended::Refused,
            times: 1,
        }
    }

    fn total(rows: &[Noted]) -> u64 {
        rows.iter().map(|row| row.times).sum()
    }

    // Proves: O2
    #[test]
    fn the_first_is_on_record_at_once_and_the_rest_when_the_span_is_over() {
        let mut strangers = Strangers::default();
        let at = Timestamp::from_secs;
        strangers.note(refusal("203.0.113.7", "listRules", "missing"));
        let first = strangers.due(at(10));
        assert_eq!((first.len(), total(&first)), (1, 1));
        assert_eq!(first[0].author.from(), Some("203.0.113.7"));
        assert_eq!(&*first[0].action, "listRules");
        strangers.note(refusal("203.0.113.7", "listRules", "missing"));
        strangers.note(refusal("203.0.113.8", "listNodes", "missing"));
        strangers.note(refusal("203.0.114.8", "listNodes", "missing"));
        strangers.note(refusal("203.0.113.7", "listRules", "wrong"));
        let others = strangers.due(at(11));
        assert_eq!((others.len(), total(&others)), (2, 2));
        assert_eq!(strangers.due(at(3_609)), []);
        let merged = strangers.due(at(3_610));
        assert_eq!((merged.len(), total(&merged)), (1, 2));
        assert_eq!(merged[0].author.from(), Some("203.0.113.0/24"));
        assert_eq!(&*merged[0].action, "several");
        assert_eq!(&*merged[0].object.1, "several");
        // A new span: the next is news again.
        strangers.note(refusal("203.0.113.7", "listRules", "missing"));
        assert_eq!(strangers.due(at(3_611)).len(), 1);
    }

    /// A day of floods, by few and by many, for one reason and for several.
    // Proves: O2
    #[test]
    fn a_day_of_floods_leaves_a_bounded_number_of_rows_and_loses_no_count() {
        for (seed, networks) in [(1, 1), (2, 15), (3, 1_000), (4, 1 << 24)] {
            let (mut rng, mut strangers) = (Rng::new(seed), Strangers::default());
            let (mut rows, mut counted, mut sent) = (0, 0, 0);
            for second in 0..86_400 {
                for _ in 0..rng.below(4) {
                    let [a, b, c, _] = u32::try_from(rng.below(networks)).unwrap().to_le_bytes();
                    let from = match rng.below(3) {
                        0 => format!("2001:{a:x}:{b:x}:{c:x}::{:x}", rng.below(9)),
                        _ => format!("{}.{b}.{c}.{}", a | 1, rng.below(200)),
                    };
                    let action = rng.pick(&["listRules", "listNodes", "createRule"]);
                    let reason = rng.pick(&["missing", "wrong"]);
                    strangers.note(refusal(&from, action, reason));
                    sent += 1;
                }
                let due = strangers.due(Timestamp::from_secs(1_000 + second));
                (rows, counted) = (rows + due.len(), counted + total(&due));
            }
            let last = strangers.all();
            (rows, counted) = (rows + last.len(), counted + total(&last));
            assert!(rows <= 1_000, "{rows} rows of {networks} networks");
            assert_eq!(counted, sent, "{networks} networks");
        }
    }

    #[test]
    fn networks_are_told_apart_by_what_a_site_has() {
        for (address, expected) in [
            ("203.0.113.7", "203.0.113.0/24"),
            ("::ffff:203.0.113.7", "203.0.113.0/24"),
            ("2001:db8:1:2::3", "2001:db8:1::/48"),
            ("", ""),
            ("elsewhere", "elsewhere"),
        ] {
            assert_eq!(network(Some(address)), expected);
        }
    }
}
