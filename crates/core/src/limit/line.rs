//! Limits that replaced others: what a key may still be counted by.

use super::{Limit, LimitSet};

/// A limit in force, with those of other periods it lately replaced. A key that is still counted by one
/// of them is carried over (D14).
///
/// ```
/// use tollgate_core::{LimitLine, LimitSet};
///
/// let first = LimitLine::first(&"1000/h".parse()?);
/// let second = LimitLine::succeed(&first, &"5000/day".parse()?);
/// assert_eq!(second[0].limit.to_string(), "5000/day");
/// assert_eq!(second[0].former[0].to_string(), "1000/h");
/// # Ok::<(), tollgate_core::LimitError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LimitLine {
    /// What counts now.
    pub limit: Limit,
    /// What counted before, latest first.
    pub former: Vec<Limit>,
}

impl LimitLine {
    /// How many former limits are remembered.
    pub const FORMER_MAX: usize = 8;

    /// A limit that replaces nothing.
    pub const fn only(limit: Limit) -> Self {
        Self { limit, former: Vec::new() }
    }

    /// Limits that replace nothing.
    pub fn first(limits: &LimitSet) -> Vec<Self> {
        limits.iter().cloned().map(Self::only).collect()
    }

    /// A limit of a period that was there before goes on counting. A new period takes over from one
    /// that is no longer there: the nearest in length, each from one.
    pub fn succeed(lines: &[Self], limits: &LimitSet) -> Vec<Self> {
        let is_kept = |line: &&Self| {
            let mut periods = limits.iter().map(Limit::period);
            periods.any(|period| period == line.limit.period())
        };
        let mut gone: Vec<&Self> = lines.iter().filter(|line| !is_kept(line)).collect();
        let succeeded = limits.iter().cloned().map(|limit| {
            let same = lines.iter().find(|line| line.limit.period() == limit.period());
            let former = match same.or_else(|| take_nearest(&mut gone, &limit)) {
                Some(line) => line.formers_of(&limit),
                None => Vec::new(),
            };
            Self { limit, former }
        });
        succeeded.collect()
    }

    /// What a successor has to look for: this limit and those before it, of other periods than its own.
    fn formers_of(&self, successor: &Limit) -> Vec<Limit> {
        let mut former: Vec<Limit> = Vec::new();
        for limit in std::iter::once(&self.limit).chain(&self.former) {
            let is_new = former.iter().all(|known| known.period() != limit.period());
            if limit.period() != successor.period() && is_new && former.len() < Self::FORMER_MAX {
                former.push(limit.clone());
            }
        }
        former
    }
}

fn take_nearest<'a>(gone: &mut Vec<&'a LimitLine>, limit: &Limit) -> Option<&'a LimitLine> {
    let length = limit.period().length().get();
    let distance = |line: &LimitLine| line.limit.period().length().get().abs_diff(length);
    let (place, _) = gone.iter().enumerate().min_by_key(|(_, line)| distance(line))?;
    Some(gone.swap_remove(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn periods(lines: &[LimitLine]) -> Vec<(String, Vec<String>)> {
        let names = |limits: &[Limit]| limits.iter().map(ToString::to_string).collect();
        let line = |line: &LimitLine| (line.limit.to_string(), names(&line.former));
        lines.iter().map(line).collect()
    }

    // Proves: D14
    #[test]
    fn a_new_period_takes_over_from_the_nearest_that_went() {
        let parse = |text: &str| text.parse::<LimitSet>().unwrap();
        let first = LimitLine::first(&parse("10/s, 1000/h"));
        let second = LimitLine::succeed(&first, &parse("20/s, 5000/day"));
        assert_eq!(
            periods(&second),
            [("20/s".into(), vec![]), ("5000/day".into(), vec!["1000/h".into()])]
        );
        let back = LimitLine::succeed(&second, &parse("20/s, 1000/h"));
        assert_eq!(
            periods(&back),
            [("20/s".into(), vec![]), ("1000/h".into(), vec!["5000/day".into()])]
        );
    }
}
