//! Which rules are listed.

use std::sync::Arc;

use tollgate_rules::{Rule, normalise::Path};

use super::super::params::Params;

/// What a rule must be to be listed. What is not asked for does not matter.
#[derive(Debug)]
pub(super) struct Filter<'p> {
    params: &'p Params,
    path: Option<Path<'p>>,
    text: Option<String>,
}

impl<'p> Filter<'p> {
    pub(super) fn new(params: &'p Params) -> Self {
        let path = params
            .text("endpoint")
            .and_then(|text| Path::new(text).ok());
        let text = params.text("q").map(str::to_lowercase);
        Self { params, path, text }
    }

    pub(super) fn keeps(&self, rule: &Rule) -> bool {
        let matches = &rule.matches;
        let asked = |name: &str, is: &dyn Fn(&str) -> bool| self.params.text(name).is_none_or(is);
        let names = |values: &[Arc<str>], wanted: &str| values.iter().any(|it| **it == *wanted);
        asked("tier", &|tier| {
            matches.tiers.iter().any(|it| it.as_str() == tier)
        }) && asked("endpoint", &|given| self.is_about(rule, given))
            && asked("user", &|user| names(&matches.users, user))
            && asked("org", &|org| names(&matches.orgs, org))
            && asked("action", &|action| rule.action.word() == action)
            && self
                .params
                .truth("enabled")
                .is_none_or(|is| rule.enabled == is)
            && asked("owner", &|owner| rule.owner.as_deref() == Some(owner))
            && asked("name", &|name| rule.name.as_str().starts_with(name))
            && self.text.as_deref().is_none_or(|text| holds(rule, text))
    }

    fn is_about(&self, rule: &Rule, given: &str) -> bool {
        let Some(pattern) = &rule.matches.endpoint else {
            return false;
        };
        let path = self.path.as_ref().map(Path::as_str);
        pattern.as_str() == given || path.is_some_and(|path| pattern.matches(path))
    }
}

/// Whether a text of the rule holds this, which is in lower case.
fn holds(rule: &Rule, text: &str) -> bool {
    let endpoint = rule.matches.endpoint.as_ref().map(|it| it.as_str());
    let texts = [
        Some(rule.name.as_str()),
        endpoint,
        rule.owner.as_deref(),
        rule.reason.as_deref(),
        rule.response.message.as_deref(),
    ];
    let mut texts = texts.into_iter().flatten();
    texts.any(|it| it.to_lowercase().contains(text))
}
