//! The named mutants, as written in `xtask/mutants.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use serde::Deserialize;

/// Where the mutants are written down.
pub(crate) const CATALOGUE: &str = "xtask/mutants.toml";

/// One deliberate defect and the tests that must notice it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mutant {
    pub(crate) name: String,
    pub(crate) file: String,
    /// Occurs exactly once in the file.
    pub(crate) find: String,
    pub(crate) replace: String,
    pub(crate) package: String,
    /// Added to `cargo test`: a filter, `--test it laws::`, `-- --exact name`.
    #[serde(default)]
    pub(crate) test: Vec<String>,
    /// Set for `cargo test`, as `RUSTFLAGS = "--cfg loom"`.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// What would go wrong for a user.
    pub(crate) why: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    mutant: Vec<Mutant>,
}

pub(crate) fn load(path: &Path) -> anyhow::Result<Vec<Mutant>> {
    let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    parse(&text).with_context(|| format!("in {}", path.display()))
}

pub(crate) fn parse(text: &str) -> anyhow::Result<Vec<Mutant>> {
    let document: Document = toml::from_str(text)?;
    let mut names = BTreeSet::new();
    for mutant in &document.mutant {
        if !names.insert(&mutant.name) {
            bail!("two mutants are named `{}`", mutant.name);
        }
    }
    Ok(document.mutant)
}

/// Those that were asked for, in the order of the file; all of them when none was.
pub(crate) fn chosen(mutants: Vec<Mutant>, names: &[String]) -> anyhow::Result<Vec<Mutant>> {
    if names.is_empty() {
        return Ok(mutants);
    }
    for name in names {
        if !mutants.iter().any(|mutant| &mutant.name == name) {
            bail!("no mutant is named `{name}`; `cargo xtask mutants --list` prints them");
        }
    }
    Ok(mutants
        .into_iter()
        .filter(|mutant| names.contains(&mutant.name))
        .collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{CATALOGUE, chosen, load, parse};
    use crate::{mutants::patch::apply, task::root};

    const TWO: &str = r#"
        [[mutant]]
        name = "late"
        file = "crates/core/src/limit.rs"
        find = "<="
        replace = "<"
        package = "tollgate-core"
        why = "the last unit of a burst is lost"

        [[mutant]]
        name = "torn"
        file = "crates/memory/src/slot.rs"
        find = "AcqRel"
        replace = "Relaxed"
        package = "tollgate-memory"
        test = ["--test", "slot"]
        env = { RUSTFLAGS = "--cfg loom" }
        why = "two requests share one unit"
    "#;

    #[test]
    fn reads_what_is_written_and_defaults_the_rest() {
        let mutants = parse(TWO).unwrap();
        assert_eq!(mutants[0].test, Vec::<String>::new());
        assert_eq!(mutants[1].test, ["--test", "slot"]);
        assert_eq!(mutants[1].env["RUSTFLAGS"], "--cfg loom");
    }

    #[test]
    fn an_unknown_field_is_named() {
        let error = parse(&TWO.replace("why =", "because =")).unwrap_err();
        assert!(error.to_string().contains("because"), "{error}");
    }

    #[test]
    fn names_are_unique() {
        let error = parse(&TWO.replace("torn", "late")).unwrap_err();
        assert_eq!(error.to_string(), "two mutants are named `late`");
    }

    #[test]
    fn some_can_be_chosen_by_name() {
        let names = |names: &[&str]| {
            names
                .iter()
                .map(|&name| name.to_owned())
                .collect::<Vec<_>>()
        };
        let picked = chosen(parse(TWO).unwrap(), &names(&["torn"])).unwrap();
        assert_eq!(picked.len(), 1);
        assert!(chosen(parse(TWO).unwrap(), &names(&["tron"])).is_err());
        assert_eq!(chosen(parse(TWO).unwrap(), &[]).unwrap().len(), 2);
    }

    /// A mutant whose text was moved away proves nothing any more, and nobody would notice.
    #[test]
    fn every_shipped_mutant_finds_its_text() {
        let mutants = load(&root().join(CATALOGUE)).unwrap();
        for mutant in mutants {
            let text = fs::read_to_string(root().join(&mutant.file));
            let text = text.unwrap_or_else(|error| panic!("{}: {error}", mutant.name));
            let applied = apply(&text, &mutant.find, &mutant.replace);
            applied.unwrap_or_else(|error| panic!("{}: {error}", mutant.name));
        }
    }
}
