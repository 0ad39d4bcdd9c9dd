//! Rules, edits and authors in few words.

use std::{future::Future, sync::Arc, time::Duration};

use tollgate_catalog::{Author, CatalogError, Edit, Expect, Step};
use tollgate_rules::{Change, Field, Key, Name, Override, Rule, RuleSet};

/// Whatever the tests wait for comes within this, or not at all.
pub(crate) const SOON: Duration = Duration::from_secs(60);

/// Asks again while another writer is in the way: on a machine that stalls, a write may wait in vain for its turn, and
/// then nothing was written.
pub(crate) async fn at_last<T, F>(ask: impl Fn() -> F) -> Result<T, CatalogError>
where
    F: Future<Output = Result<T, CatalogError>>,
{
    let answer = async {
        loop {
            match ask().await {
                Err(CatalogError::Timeout(_)) => {}
                answer => return answer,
            }
        }
    };
    let answer = tokio::time::timeout(SOON, answer).await;
    answer.expect("the others are done in time")
}

pub(crate) fn name(text: &str) -> Name {
    text.parse().unwrap()
}

/// A throttle by user that can be told from others of its name by its priority.
pub(crate) fn rule(text: &str, priority: i32) -> Rule {
    let key = Key::new([Field::User.into()]).unwrap();
    let mut rule = Rule::throttle(name(text), key, "5/min".parse().unwrap());
    rule.priority = priority;
    rule
}

pub(crate) fn set(rules: impl IntoIterator<Item = Rule>) -> Arc<RuleSet> {
    let mut set = RuleSet::default();
    set.rules = rules.into_iter().map(|rule| (rule.name.clone(), Arc::new(rule))).collect();
    Arc::new(set)
}

pub(crate) fn dana() -> Author {
    Author::new("dana").because("a test")
}

/// Puts one rule, whatever is there.
pub(crate) fn put(rule: Rule) -> Edit {
    Edit::new(dana()).step(Step::put(rule), Expect::Any)
}

pub(crate) fn remove(text: &str) -> Edit {
    Edit::new(dana()).step(Step::remove(name(text)), Expect::Any)
}

pub(crate) fn override_of(rule: &str, user: &str, factor: &str) -> Override {
    let mut entry = Override::new(Some(name(rule)));
    entry.key.insert(Field::User, user.into());
    entry.change = Change::Factor(factor.parse().unwrap());
    entry
}
