//! The rules that would be in force.

use std::path::Path;

use tollgate_catalog::Revision;
use tollgate_rules::{RuleSet, Snapshot, review::review_for_redis};

use super::{Diagnosis, Grade};
use crate::{
    config::{Demo, Owner, Settings},
    counting::Counting,
    rules::reading,
};

const ABOUT: &str = "rules";

/// The most flaws that are told of.
const TOLD_MAX: usize = 8;

pub(super) fn look(settings: &Settings, revision: Option<&Revision>) -> Vec<Diagnosis> {
    match (&settings.owner, revision) {
        (Owner::File(path), _) => vec![file(path, settings.counting())],
        (Owner::Catalog, Some(revision)) if decides(&revision.set) => {
            stored(revision, settings.counting())
        }
        (Owner::Catalog, Some(_)) => vec![none(settings)],
        // The database says why.
        (Owner::Catalog, None) => Vec::new(),
    }
}

/// A demonstration runs only where other machines cannot reach the server, and never in a database that nodes share.
fn none(settings: &Settings) -> Diagnosis {
    let is_shown = settings.listen.are_loopback() && settings.database.is_sqlite();
    match settings.demo {
        Demo::Offered if is_shown => Diagnosis::fine(
            ABOUT,
            "there are none yet: a demonstration runs until `tollgate rules apply FILE`",
        ),
        _ => Diagnosis::warning(
            ABOUT,
            "no rules are in force: every request passes",
            "write rules: `tollgate rules apply FILE`",
        ),
    }
}

fn file(path: &Path, counting: Counting) -> Diagnosis {
    let shown = path.display();
    let reading = match reading(path, counting) {
        Ok(reading) => reading,
        Err(error) => {
            let remedy = "name a file that can be read with --rules FILE";
            return Diagnosis::problem(ABOUT, error.to_string(), remedy);
        }
    };
    let Some(document) = reading.document else {
        let report = reading.report.to_string();
        let text = format!("{shown} has errors\n{}", report.trim_end());
        let remedy = format!("mend it; `tollgate rules validate {shown}` checks it again");
        return Diagnosis::problem(ABOUT, text, remedy);
    };
    let text = format!("{shown}: {}", counted(document.rules.rules.len(), "rule"));
    if !decides(&document.rules) {
        let remedy = format!("write rules into {shown}");
        return Diagnosis::warning(ABOUT, format!("{text}: every request passes"), remedy);
    }
    match reading.report.problems.len() {
        0 => Diagnosis::fine(ABOUT, text),
        warnings => Diagnosis::warning(
            ABOUT,
            format!("{text}, with {}", counted(warnings, "warning")),
            format!("`tollgate rules validate {shown}` shows them"),
        ),
    }
}

/// What the database holds.
fn stored(revision: &Revision, counting: Counting) -> Vec<Diagnosis> {
    let number = revision.number;
    let flaws = match counting {
        Counting::Alone => Vec::new(),
        Counting::Shared(_) => review_for_redis(&revision.set),
    };
    if flaws.is_empty() {
        let count = counted(revision.set.rules.len(), "rule");
        let text = format!("revision {number}: {count}");
        return vec![Diagnosis::fine(ABOUT, text)];
    }
    let told = flaws.iter().take(TOLD_MAX).map(|flaw| {
        let text = format!("revision {number} is kept out of force: {}: {}", flaw.at, flaw.message);
        Diagnosis { remedy: flaw.help.clone(), ..Diagnosis::told(ABOUT, Grade::Problem, text) }
    });
    told.collect()
}

/// Whether any rule, or the default of any tier, is in force.
fn decides(rules: &RuleSet) -> bool {
    Snapshot::compile(rules, 0).deciding().next().is_some()
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}
