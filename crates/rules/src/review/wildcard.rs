//! A `*` at the end, which is often meant for everything that follows.

use super::{Flaw, Locus};
use crate::{Rule, Segment};

pub(super) fn check(walk: &[&Rule], flaws: &mut Vec<Flaw>) {
    for rule in walk {
        let Some(pattern) = &rule.matches.endpoint else {
            continue;
        };
        if pattern.segments().last() != Some(&Segment::One) {
            continue;
        }
        let base = pattern.as_str().trim_end_matches("/*");
        let message = format!("{pattern} matches one segment: {base}/a, but not {base}/a/b");
        let help =
            format!("write {base}/** for all that follow, or {base}/{{name}} for one segment");
        let at = Locus::rule(&rule.name, "match.endpoint");
        flaws.push(Flaw::warning(at, message).help(help));
    }
}
