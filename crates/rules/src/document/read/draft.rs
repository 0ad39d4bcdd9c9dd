//! What was read, before it is looked at as a whole.

use std::collections::HashSet;

use super::{
    super::findings::{Finding, Findings},
    places::Places,
    trial::Sited,
};
use crate::{
    ExpectRule, Name, RuleSet,
    nearest::did_you_mean,
    review::{Flaw, Severity},
};

/// Everything that could be read, with where it stands.
pub(super) struct Draft<'t> {
    pub(super) set: RuleSet,
    pub(super) trials: Vec<Sited>,
    /// Rules that are there but could not be read.
    pub(super) broken: HashSet<Name>,
    /// Whether the text was read to its end.
    pub(super) is_whole: bool,
    pub(super) places: Places<'t>,
}

impl Draft<'_> {
    /// Reports what is wrong with the whole. While parts are missing, what might be due to that is
    /// not reported.
    pub(super) fn review(&self, review: impl Fn(&RuleSet) -> Vec<Flaw>, findings: &mut Findings) {
        if !self.is_whole {
            return;
        }
        self.check_expected(findings);
        let is_partial = findings.errors() > 0;
        for flaw in review(&self.set) {
            if is_partial && flaw.severity == Severity::Warning {
                continue;
            }
            let span = self.places.find(&flaw.at);
            let mut finding = match flaw.severity {
                Severity::Error => Finding::error(span, flaw.message),
                Severity::Warning => Finding::warning(span, flaw.message),
            };
            finding.help = flaw.help;
            finding.related = flaw
                .related
                .map(|(at, how)| (self.places.find(&at), how.to_owned()));
            findings.push(finding);
        }
    }

    fn knows_rule(&self, name: &Name) -> bool {
        self.places.rules.contains_key(name)
    }

    fn check_expected(&self, findings: &mut Findings) {
        let expected = self.trials.iter().flat_map(|trial| &trial.rules);
        for (span, rule) in expected {
            let (name, noun, known): (_, _, Vec<&Name>) = match rule {
                ExpectRule::Rule(name) if !self.knows_rule(name) => {
                    (name, "rule", self.set.rules.keys().collect())
                }
                ExpectRule::Tier(name) if !self.set.tiers.contains_key(name) => {
                    (name, "tier", self.set.tiers.keys().collect())
                }
                _ => continue,
            };
            findings.push_error(|| {
                let finding = Finding::error(*span, format!("there is no {noun} {name:?}"));
                let nearest = did_you_mean(name.as_str(), known.into_iter().map(Name::as_str));
                let general = || "name a rule of this file, tier:NAME, or none".to_owned();
                finding.help(nearest.unwrap_or_else(general))
            });
        }
    }
}
