//! Limits that were read before need not be read again.

use smallvec::SmallVec;
use tollgate_wire::check::LimitTold;

use super::ToldLimit;
use crate::{
    facts::{self, Bytes},
    table::Table,
};

/// How many limits are known by their texts.
const ENTRIES: usize = 1_024;

/// Limits by the texts in which servers tell them.
#[derive(Debug)]
pub(crate) struct Lexicon {
    known: Table<ToldLimit>,
}

impl Default for Lexicon {
    fn default() -> Self {
        let known = Table::new(ENTRIES);
        Self { known }
    }
}

impl Lexicon {
    /// The limits of an answer; those that are told in words unknown here are left out.
    pub(crate) fn read(&self, told: &[LimitTold]) -> SmallVec<[ToldLimit; 4]> {
        told.iter().filter_map(|told| self.one(told)).collect()
    }

    fn one(&self, told: &LimitTold) -> Option<ToldLimit> {
        let text = facts::hash(&text(told));
        if let Some(known) = self.known.with(text, |known| known.clone()) {
            return Some(known);
        }
        let limit = ToldLimit::read(told)?;
        // Who comes when there is no room takes any place: limits that are in use are back at once.
        self.known.put(text, limit.clone(), |_| 0);
        Some(limit)
    }
}

/// What tells one limit from another: not what is left of it.
fn text(told: &LimitTold) -> Bytes {
    let mut out = facts::room();
    facts::write_fact(Some(&told.rule), &mut out);
    facts::write_fact(told.per.as_deref(), &mut out);
    facts::write_fact(told.algorithm.as_deref(), &mut out);
    let burst = told.burst.map_or(0, |burst| burst.saturating_add(1));
    out.extend_from_slice(&burst.to_be_bytes());
    out.push(told.overridden.into());
    facts::write_fact(told.cost.as_deref(), &mut out);
    for field in &told.key {
        facts::write_fact(Some(field), &mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_the_same_limit_and_others_are_another() {
        let lexicon = Lexicon::default();
        let told = |per: &str, burst, key: &[&str]| LimitTold {
            rule: "search".into(),
            per: Some(per.into()),
            algorithm: Some("token_bucket".into()),
            burst,
            key: key.iter().map(|field| (*field).into()).collect(),
            ..LimitTold::default()
        };
        let all = [
            told("10/s", Some(20), &["user"]),
            told("10/s", Some(21), &["user"]),
            told("10/s", None, &["user"]),
            told("10/s", None, &["user", "ip"]),
            told("11/s", None, &[]),
            told("much", None, &[]),
        ];
        let read = lexicon.read(&all);
        assert_eq!(read, lexicon.read(&all));
        assert_eq!(read.len(), 5, "one is no limit");
        for (place, limit) in read.iter().enumerate() {
            let same = read.iter().filter(|other| *other == limit);
            assert_eq!(same.count(), 1, "{place}");
        }
        let amounts: Vec<u64> = read.iter().map(|limit| limit.per.capacity()).collect();
        assert_eq!(amounts, [20, 21, 10, 10, 11]);
    }
}
