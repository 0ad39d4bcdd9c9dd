//! Random edits, sets and rollbacks against a model that keeps every revision whole.
// Proves: R8

use std::{collections::BTreeMap, sync::Arc};

use tollgate_catalog::{
    Base, Catalog, Edit, Expect, HISTORY_PAGE_MAX, Page, Revision, RevisionNumber, Step,
};
use tollgate_rules::{Name, RuleSet};
use tollgate_testkit::{Rng, rounds};

use crate::common::{Place, dana, name, override_of, put, remove, rule, set};

/// Every revision there was, whole.
struct Model {
    revisions: BTreeMap<RevisionNumber, Arc<RuleSet>>,
}

impl Model {
    fn head(&self) -> (RevisionNumber, &Arc<RuleSet>) {
        let (number, set) = self.revisions.last_key_value().unwrap();
        (*number, set)
    }

    fn any(&self, rng: &mut Rng) -> RevisionNumber {
        let at = rng.index(self.revisions.len());
        *self.revisions.keys().nth(at).unwrap()
    }
}

const NAMES: usize = 6;

fn any_name(rng: &mut Rng) -> String {
    format!("r{}", rng.index(NAMES))
}

fn any_priority(rng: &mut Rng) -> i32 {
    i32::try_from(rng.index(4)).unwrap()
}

async fn one_step(catalog: &Catalog, model: &mut Model, rng: &mut Rng) {
    let (head, set_now) = model.head();
    let mut want: RuleSet = (**set_now).clone();
    let text = any_name(rng);
    let priority = any_priority(rng);
    let written = match rng.index(10) {
        0..=3 => {
            let mut new = rule(&text, priority);
            new.id = want.rules.get(&new.name).map_or(new.id, |old| old.id);
            want.rules.insert(new.name.clone(), Arc::new(new));
            catalog.edit(put(rule(&text, priority))).await
        }
        4 | 5 => {
            let known = want.rules.remove(&name(&text)).is_some();
            let written = catalog.edit(remove(&text)).await;
            if !known {
                assert!(written.is_err(), "{written:?}");
                return;
            }
            written
        }
        6 | 7 => {
            let names: Vec<Name> = (0..NAMES).map(|at| name(&format!("r{at}"))).collect();
            let kept = names.iter().filter(|_| rng.index(2) == 0);
            let rules: Vec<_> = kept.map(|name| rule(name.as_str(), priority)).collect();
            want = (*set(rules)).clone();
            let first = want.rules.keys().next().cloned();
            if let Some(first) = first {
                let users = ["a", "b", "c"].into_iter().filter(|_| rng.index(2) == 0);
                want.overrides =
                    users.map(|user| override_of(first.as_str(), user, "2x")).collect();
            }
            let base = Base::Revision(head);
            catalog.apply(&Arc::new(want.clone()), base, dana()).await
        }
        8 => {
            let to = model.any(rng);
            want = (*model.revisions[&to]).clone();
            catalog.rollback(to, dana()).await
        }
        _ => {
            let stale = Expect::Version(RevisionNumber::new(9_999).unwrap());
            let edit = Edit::new(dana()).step(Step::put(rule(&text, 99)), stale);
            assert!(catalog.edit(edit).await.is_err());
            return;
        }
    };
    // Overrides of a rule that is not there make a set unsound: then nothing is written.
    let is_sound = want
        .overrides
        .iter()
        .all(|entry| entry.rule.as_ref().is_none_or(|rule| want.rules.contains_key(rule)));
    let Ok(written) = written else {
        assert!(!is_sound, "{written:?} of {want:?}");
        return;
    };
    assert!(is_sound);
    let is_same = want == **model.head().1;
    assert_eq!(written.revision == head, is_same, "{written:?}");
    assert!(written.revision >= head, "revisions never go back");
    model.revisions.insert(written.revision, Arc::new(want));
}

async fn agrees(catalog: &Catalog, model: &Model, rng: &mut Rng) {
    let (head, set) = model.head();
    let latest = catalog.latest().await.unwrap();
    assert_eq!((latest.number, &latest.set), (head, set));
    let any = model.any(rng);
    let old: Arc<Revision> = catalog.load(any).await.unwrap();
    assert_eq!(old.set, model.revisions[&any]);
}

/// How many sequences, of one to five steps each. PostgreSQL, where each step is a journey, runs the same code.
const SEQUENCES: u32 = 1_000;
const SEQUENCES_ON_POSTGRES: u32 = 200;

pub(crate) async fn revisions_agree_with_a_simple_model(place: Place) {
    let mut rng = Rng::new(7);
    let catalog = place.open().await;
    // Another node reads by difference, a third always everything.
    let follower = place.open().await;
    let zero = (RevisionNumber::ZERO, Arc::new(RuleSet::default()));
    let mut model = Model { revisions: BTreeMap::from([zero]) };
    let sequences = match place.postgres {
        None => SEQUENCES,
        Some(_) => SEQUENCES_ON_POSTGRES,
    };
    for _ in 0..rounds(sequences) {
        for _ in 0..=rng.index(5) {
            one_step(&catalog, &mut model, &mut rng).await;
        }
        agrees(&catalog, &model, &mut rng).await;
        agrees(&follower, &model, &mut rng).await;
    }
    agrees(&place.open().await, &model, &mut rng).await;
    let (mut numbers, mut page) = (Vec::new(), Page::newest(HISTORY_PAGE_MAX));
    loop {
        let infos = catalog.history(page).await.unwrap();
        let Some(last) = infos.last() else { break };
        page = page.before(last.number);
        numbers.extend(infos.iter().map(|info| info.number));
    }
    numbers.reverse();
    let ours: Vec<RevisionNumber> = model.revisions.keys().copied().skip(1).collect();
    assert_eq!(numbers, ours, "the history is complete");
}
