//! What the parts of a rule set cannot promise alone: names that exist, and rules that matter.
//!
//! An error means that the set cannot be used; a warning, that it is probably not what was meant. A
//! warning is only given where it is certain: a rule that is called unreachable is.

mod candidates;
mod flaw;
mod groups;
mod names;
mod overrides;
mod scripts;
mod twins;
mod unlimited;
mod unreachable;
mod walk;
mod wildcard;

pub use flaw::{Flaw, Locus, Severity};
pub use scripts::{review_for_redis, review_overrides_for_redis};

use crate::{Override, RuleSet};

/// Everything that is wrong with a rule set whose parts are right by themselves.
///
/// ```
/// use tollgate_rules::{Action, Rule, RuleSet, review::review};
///
/// let mut set = RuleSet::default();
/// for name in ["first", "second"] {
///     let rule = Rule::new(name.parse()?, Action::Block);
///     set.rules.insert(rule.name.clone(), rule.into());
/// }
/// let flaws = review(&set);
/// assert_eq!(flaws[0].message, "rule \"second\" is never reached: \"first\" blocks all its requests before");
/// # Ok::<(), tollgate_rules::NameError>(())
/// ```
pub fn review(set: &RuleSet) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    names::check(set, &mut flaws);
    overrides::check(set, &set.overrides, &mut flaws);
    let walk = walk::walk(set);
    wildcard::check(&walk, &mut flaws);
    twins::check(&walk, &mut flaws);
    unreachable::check(&walk, &mut flaws);
    groups::check(set, &walk, &mut flaws);
    unlimited::check(set, &walk, &mut flaws);
    // Nobody may ever count these in Redis; whoever does refuses them.
    flaws.extend(review_for_redis(set).into_iter().map(Flaw::remarked));
    flaws
}

/// Everything that is wrong with overrides that stand beside a rule set. The index of a flaw's locus is the
/// place in `overrides`.
pub fn review_overrides(set: &RuleSet, overrides: &[Override]) -> Vec<Flaw> {
    let mut flaws = Vec::new();
    overrides::check(set, overrides, &mut flaws);
    flaws
}
