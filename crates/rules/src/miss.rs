//! The one condition by which a rule was missed, in words.

use std::fmt;

use crate::{AttributeCondition, Condition, Match, conditions::Facts};

/// A condition that does not hold: what is wanted, and what the request has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Miss {
    /// Which condition; an attribute by its name.
    pub condition: String,
    /// What the rule asks for.
    pub wanted: String,
    /// What the request has, if anything.
    pub found: Option<String>,
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (condition, wanted) = (&self.condition, &self.wanted);
        match &self.found {
            Some(found) => write!(f, "{condition} is {found}, not {wanted}"),
            None => write!(f, "no {condition}, {wanted} is asked for"),
        }
    }
}

impl Match {
    /// How a condition other than that on attributes is missed.
    pub(crate) fn miss(&self, condition: Condition, facts: &Facts<'_, '_>) -> Miss {
        let query = facts.query;
        let text = |text: Option<&str>| text.map(str::to_owned);
        let (wanted, found) = match condition {
            Condition::Tier => (any(&self.tiers), Some(facts.tier.to_owned())),
            Condition::Method => (any(&self.methods), text(query.method_text())),
            Condition::User => (any(&self.users), text(query.user_name())),
            Condition::Org => (any(&self.orgs), text(query.org_name())),
            Condition::ApiKey => (any(&self.api_keys), text(query.api_key_id())),
            Condition::Region => (any(&self.regions), text(query.region_name())),
            Condition::Endpoint => (any(&self.endpoint), text(query.path())),
            Condition::Ip => {
                let found = query.ip_address().map(|address| address.to_string());
                (any(&self.networks), found)
            }
            Condition::Attributes => (String::new(), None),
            Condition::Descriptor => {
                let pairs = |(key, value): &(&str, &str)| format!("{key}={value}");
                let found = query.descriptor_entries();
                let found =
                    found.map(|found| found.iter().map(pairs).collect::<Vec<_>>().join(","));
                (self.descriptor_text(), found)
            }
        };
        Miss { condition: condition.to_string(), wanted, found }
    }

    /// How conditions on attributes are missed, each.
    pub(crate) fn missed_attributes(&self, facts: &Facts<'_, '_>) -> Vec<Miss> {
        let mut misses = Vec::new();
        for (name, condition) in &self.attributes {
            let found = facts.query.attribute_value(name);
            if !found.is_some_and(|value| condition.holds(value)) {
                misses.push(Miss {
                    condition: format!("attributes.{name}"),
                    wanted: condition.in_words(),
                    found: found.map(str::to_owned),
                });
            }
        }
        misses
    }

    fn descriptor_text(&self) -> String {
        let entries = self.descriptor.iter().flatten().map(|entry| match &entry.value {
            Some(value) => format!("{}={value}", entry.key),
            None => entry.key.to_string(),
        });
        entries.collect::<Vec<_>>().join(",")
    }
}

impl AttributeCondition {
    fn in_words(&self) -> String {
        match self {
            Self::Exact(value) => value.to_string(),
            Self::OneOf(values) => any(values),
            Self::Prefix(prefix) => format!("{prefix}…"),
            Self::Suffix(suffix) => format!("…{suffix}"),
        }
    }
}

/// `a`, or `one of a, b, c`.
fn any<T: fmt::Display>(values: impl IntoIterator<Item = T>) -> String {
    const SHOWN_MAX: usize = 8;
    let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    match values.as_slice() {
        [one] => one.clone(),
        many if many.len() <= SHOWN_MAX => format!("one of {}", many.join(", ")),
        many => {
            let shown: Vec<&str> = many.iter().take(SHOWN_MAX).map(String::as_str).collect();
            format!("one of {} and {} more", shown.join(", "), many.len() - SHOWN_MAX)
        }
    }
}
