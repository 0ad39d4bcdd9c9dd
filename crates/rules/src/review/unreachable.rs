//! Rules that no request reaches, because one above them ends the walk for all of theirs.

use super::{
    Flaw, Locus,
    candidates::{Candidates, Search},
};
use crate::{Action, Rule};

/// `walk` is in order, so every rule that was filed comes before the one that is looked at.
pub(super) fn check<'s>(walk: &[&'s Rule], flaws: &mut Vec<Flaw>) {
    let mut enders: Candidates<'s> = Candidates::default();
    for rule in walk {
        if let Search::Found(ender) = enders.search(&rule.matches, |_| true) {
            flaws.push(flaw(rule, ender));
        }
        if !matches!(rule.action, Action::Throttle(_)) {
            enders.add(rule);
        }
    }
}

fn flaw(rule: &Rule, ender: &Rule) -> Flaw {
    let verb = match ender.action {
        Action::Allow => "allows",
        _ => "blocks",
    };
    let message = format!(
        "rule {:?} is never reached: {:?} {verb} all its requests before",
        rule.name, ender.name
    );
    let at = Locus::whole_rule(&rule.name);
    let help = format!("remove it, raise its priority, or narrow the match of {:?}", ender.name);
    let flaw = Flaw::warning(at, message).help(help);
    flaw.related(Locus::whole_rule(&ender.name), "this one comes first")
}
