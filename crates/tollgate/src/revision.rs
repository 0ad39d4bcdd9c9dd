//! The limits in force, with those of other periods they lately replaced.

use tollgate_core::{Limit, LimitSet, RuleId};

/// A limit, and the former ones by which a key may still be counted.
#[derive(Clone, Debug)]
pub(crate) struct Revision {
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) rule: RuleId,
    pub(crate) limit: Limit,
    pub(crate) former: Vec<Limit>,
}

/// How many former limits a line remembers, latest first.
const FORMER_MAX: usize = 8;

impl Revision {
    pub(crate) fn first(limits: &LimitSet, rule: RuleId) -> Self {
        let lines = limits.iter().cloned().map(|limit| Line {
            rule,
            limit,
            former: Vec::new(),
        });
        Self {
            lines: lines.collect(),
        }
    }

    /// A limit of a period that was there before goes on counting. A new period takes over from one
    /// that is no longer there: the nearest in length, each from one.
    pub(crate) fn succeed(&self, limits: &LimitSet) -> Self {
        let is_kept = |line: &&Line| {
            limits
                .iter()
                .any(|limit| limit.period() == line.limit.period())
        };
        let rule = self
            .lines
            .first()
            .map_or(RuleId::default(), |line| line.rule);
        let mut gone: Vec<&Line> = self.lines.iter().filter(|line| !is_kept(line)).collect();
        let lines = limits.iter().cloned().map(|limit| {
            let same = self
                .lines
                .iter()
                .find(|line| line.limit.period() == limit.period());
            let former = match same.or_else(|| take_nearest(&mut gone, &limit)) {
                Some(line) => line.formers_of(&limit),
                None => Vec::new(),
            };
            Line {
                rule,
                limit,
                former,
            }
        });
        Self {
            lines: lines.collect(),
        }
    }

    #[inline]
    pub(crate) fn lines(&self) -> &[Line] {
        &self.lines
    }
}

impl Line {
    /// What a successor has to look for: this limit and those before it, of other periods than its own.
    fn formers_of(&self, successor: &Limit) -> Vec<Limit> {
        let mut former: Vec<Limit> = Vec::new();
        for limit in std::iter::once(&self.limit).chain(&self.former) {
            let is_new = former.iter().all(|known| known.period() != limit.period());
            if limit.period() != successor.period() && is_new && former.len() < FORMER_MAX {
                former.push(limit.clone());
            }
        }
        former
    }
}

fn take_nearest<'a>(gone: &mut Vec<&'a Line>, limit: &Limit) -> Option<&'a Line> {
    let length = limit.period().length().get();
    let distance = |line: &Line| line.limit.period().length().get().abs_diff(length);
    let (place, _) = gone
        .iter()
        .enumerate()
        .min_by_key(|(_, line)| distance(line))?;
    Some(gone.swap_remove(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn periods(revision: &Revision) -> Vec<(String, Vec<String>)> {
        let names = |limits: &[Limit]| limits.iter().map(ToString::to_string).collect();
        let line = |line: &Line| (line.limit.to_string(), names(&line.former));
        revision.lines.iter().map(line).collect()
    }

    // Proves: D14
    #[test]
    fn a_new_period_takes_over_from_the_nearest_that_went() {
        let parse = |text: &str| text.parse::<LimitSet>().unwrap();
        let first = Revision::first(&parse("10/s, 1000/h"), RuleId::default());
        let second = first.succeed(&parse("20/s, 5000/day"));
        assert_eq!(
            periods(&second),
            [
                ("20/s".into(), vec![]),
                ("5000/day".into(), vec!["1000/h".into()])
            ]
        );
        let back = second.succeed(&parse("20/s, 1000/h"));
        assert_eq!(
            periods(&back),
            [
                ("20/s".into(), vec![]),
                ("1000/h".into(), vec!["5000/day".into()])
            ]
        );
    }
}
