//! Counters that were made fresh.

use std::fmt::Write as _;

use tollgate_catalog::{Author, Ended, Noted};
use tollgate_rules::Query;

use super::Record;
use crate::authority::Actor;

/// Which counters: in words, by the facts of the request that they count.
#[derive(Clone, Debug)]
pub(crate) struct Counters(String);

/// The most of it that goes on record.
const CHARS_MAX: usize = 1_000;

impl Counters {
    /// Those that a request meets, of one rule if it is named. A path may hold anything, so of what is asked only what
    /// names people goes on record.
    pub(crate) fn of(query: &Query<'_>, rule: Option<&str>) -> Self {
        let mut words = String::new();
        let address = query.ip_address().map(|address| address.to_string());
        let facts = [
            ("rule", rule),
            ("user_id", query.user_name()),
            ("org_id", query.org_name()),
            ("api_key", query.api_key_id().map(told)),
            ("ip", address.as_deref()),
            ("endpoint", query.path()),
        ];
        for (name, value) in facts {
            if let Some(value) = value {
                let space = if words.is_empty() { "" } else { " " };
                // Writing to a text cannot fail.
                write!(words, "{space}{name}={value}").unwrap_or_default();
            }
        }
        Self(words.chars().take(CHARS_MAX).collect())
    }
}

/// The id of a key that was issued here; what it is elsewhere may be the key itself.
fn told(key: &str) -> &str {
    let number = key.strip_prefix('k').unwrap_or_default();
    let is_ours = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if is_ours { key } else { "…" }
}

impl Record {
    /// Puts on record that counters were made fresh.
    pub(crate) fn reset(&self, author: Author, counters: Counters) {
        self.note(Noted {
            author,
            action: "counter.reset".into(),
            object: ("counter".into(), counters.0.into()),
            before: None,
            after: None,
            ended: Ended::Done,
            times: 1,
        });
    }

    /// Puts on record that counters which Redis may have lost are trusted.
    pub(crate) fn trusted(&self, author: Author) {
        self.note(Noted {
            author,
            action: "redis.trust".into(),
            object: ("redis".into(), "*".into()),
            before: None,
            after: None,
            ended: Ended::Done,
            times: 1,
        });
    }

    /// As [`Record::reset`], by somebody on a listener for decisions.
    pub(crate) fn reset_by(&self, actor: &Actor, from: Option<String>, counters: Counters) {
        let author = Author::new(&actor.name).acting_as(actor.role.word());
        let author = match from {
            Some(from) => author.calling_from(&from),
            None => author,
        };
        self.reset(author, counters);
    }
}
