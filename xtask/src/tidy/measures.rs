//! The measures of the whole, on record in `xtask/measures.toml`: they may only go down.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};

use super::modules::Reached;
use super::outline::Outline;
use super::source::Finding;
use crate::table;

const RECORDS: &str = "xtask/measures.toml";
const HEADER: &str = "\
# What `cargo xtask tidy` measures. `record` may only go down: `cargo xtask tidy --update` lowers it.
# `before` is the tree at 6144c0a, `asked` is where it is to go.

";

/// The files that one HTTP check passes through on a node that counts alone, in their order; kept by hand.
const CHECK_PATH: &str = "xtask/check-path.txt";

/// A struct with three fields of a list, one of them in the first half, is a shape of it.
const FACTS: [&[&str]; 2] = [
    &["path", "method", "ip", "address", "cost", "attributes", "descriptor"],
    &["user", "org", "tier", "api_key"],
];
const ANSWER: [&[&str]; 2] = [
    &["remaining", "retry_after"],
    &["allowed", "is_allowed", "limit", "reset", "reset_at", "reset_after", "delay"],
];

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Records {
    measure: Vec<Record>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    name: String,
    what: String,
    before: usize,
    asked: usize,
    record: usize,
}

/// What the tree has now: a number, and what was counted where that can be listed.
#[derive(Debug, Default)]
pub(crate) struct Measures(BTreeMap<&'static str, (usize, Vec<String>)>);

impl Measures {
    pub(crate) fn of(root: &Path, outlines: &[Outline], reached: &Reached) -> anyhow::Result<Self> {
        let is_counted = |file: &Outline| {
            ["crates/", "benches/", "xtask/"].iter().any(|top| file.path.starts_with(top))
        };
        let is_compiled =
            |file: &Outline| reached.get(&file.path) == Some(&false) || is_support(file);
        let files: Vec<&Outline> =
            outlines.iter().filter(|file| is_counted(file) && is_compiled(file)).collect();
        let lines = |part: &dyn Fn(&Outline) -> bool| {
            files.iter().filter(|file| part(file)).map(|file| file.product_lines()).sum::<usize>()
        };
        let is_tool = |file: &Outline| !file.path.starts_with("crates/");
        let is_decision = |file: &Outline| {
            ["crates/tollgate/src/gate", "crates/server/src/engine"]
                .iter()
                .any(|part| file.path.starts_with(part))
        };
        let decision =
            files.iter().filter(|file| is_decision(file)).map(|file| file.code_lines()).sum();
        let product = |file: &Outline| !is_tool(file) && !is_support(file);
        let path = fs::read_to_string(root.join(CHECK_PATH))
            .with_context(|| format!("reading {CHECK_PATH}"))?;
        let path: Vec<&str> = path.lines().filter(|line| !line.starts_with('#')).collect();
        if let Some(gone) = path.iter().find(|path| !root.join(path).is_file()) {
            bail!(
                "{CHECK_PATH} names `{gone}`, which is not there: follow a check through the code again"
            );
        }
        let listed = |list: Vec<String>| (list.len(), list);
        let shapes =
            |fields| listed(shapes(files.iter().copied().filter(|file| product(file)), fields));
        Ok(Self(BTreeMap::from([
            ("files_of_a_check", (path.len(), Vec::new())),
            ("shapes_of_facts", shapes(FACTS)),
            ("shapes_of_an_answer", shapes(ANSWER)),
            ("gate_and_engine_lines", (decision, Vec::new())),
            ("import_cycles_of_the_server", listed(cycles(&imports(&files, "crates/server/src/")))),
            ("product_lines", (lines(&product), Vec::new())),
            ("support_lines", (lines(&is_support), Vec::new())),
            ("tool_lines", (lines(&is_tool), Vec::new())),
            ("source_files", (files.len(), Vec::new())),
        ])))
    }
}

impl Records {
    pub(crate) fn read(root: &Path) -> anyhow::Result<Self> {
        let text =
            fs::read_to_string(root.join(RECORDS)).with_context(|| format!("reading {RECORDS}"))?;
        toml::from_str(&text).with_context(|| format!("in {RECORDS}"))
    }

    /// The table for people, and what is behind its short numbers.
    pub(crate) fn show(&self, now: &Measures) -> String {
        let row = |record: &Record| {
            let numbers = [record.before, record.asked, record.record, now.number(record)];
            [vec![record.what.clone()], numbers.map(|number| number.to_string()).to_vec()].concat()
        };
        let rows: Vec<Vec<String>> = self.measure.iter().map(row).collect();
        let mut text = table::render(&["measure", "at 6144c0a", "asked", "record", "now"], &rows);
        for record in &self.measure {
            let list =
                now.0.get(&*record.name).map(|(_, list)| list.as_slice()).unwrap_or_default();
            if !list.is_empty() {
                text += &format!("\n{}:\n  {}\n", record.what, list.join("\n  "));
            }
        }
        text
    }

    /// What got worse, as findings, and what got better, as advice.
    pub(crate) fn compare(&self, now: &Measures) -> (Vec<Finding>, Vec<String>) {
        let (mut worse, mut better) = (Vec::new(), Vec::new());
        for record in &self.measure {
            let (what, was, now) = (&record.what, record.record, now.number(record));
            if now > was {
                let message =
                    format!("{what}: {now}, on record are {was}, and that may only go down");
                worse.push(Finding { path: RECORDS.to_owned(), line: 1, message });
            } else if now < was {
                better.push(format!(
                    "{what}: {now} instead of {was}; keep it with `cargo xtask tidy --update`"
                ));
            }
        }
        (worse, better)
    }

    pub(crate) fn update(mut self, root: &Path, now: &Measures) -> anyhow::Result<()> {
        for record in &mut self.measure {
            record.record = record.record.min(now.number(record));
        }
        let text = format!("{HEADER}{}", toml::to_string(&self)?);
        fs::write(root.join(RECORDS), text).with_context(|| format!("writing {RECORDS}"))
    }
}

impl Measures {
    /// Of a measure that the program does not know, everything is too much.
    fn number(&self, record: &Record) -> usize {
        self.0.get(&*record.name).map_or(usize::MAX, |(number, _)| *number)
    }
}

fn is_support(file: &Outline) -> bool {
    let is_kit =
        file.path.starts_with("crates/testkit/src/") || file.path.starts_with("crates/sim/src/");
    is_kit && !file.path.ends_with("tests.rs")
}

fn shapes<'a>(files: impl Iterator<Item = &'a Outline>, names: [&[&str]; 2]) -> Vec<String> {
    let count = |fields: &[String], names: &[&str]| {
        fields.iter().filter(|name| names.contains(&&***name)).count()
    };
    let is_shape = |fields: &[String]| {
        let own = count(fields, names[0]);
        own > 0 && own + count(fields, names[1]) >= 3
    };
    files
        .flat_map(|file| file.structs.iter().map(move |item| (file, item)))
        .filter(|(_, item)| is_shape(&item.fields))
        .map(|(file, item)| format!("{} {}", file.path, item.name))
        .collect()
}

/// Which modules at the top of a crate name which others.
fn imports(files: &[&Outline], top: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files {
        if let Some(inside) = file.path.strip_prefix(top) {
            let module = inside.split('/').next().unwrap_or_default().trim_end_matches(".rs");
            imports.entry(module.to_owned()).or_default().extend(file.imports.iter().cloned());
        }
    }
    imports
}

/// The sets of more than two modules that all lead to each other.
fn cycles(imports: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let reach = |from: &String| {
        let (mut seen, mut waiting) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(module) = waiting.pop() {
            let next = imports.get(&module).into_iter().flatten();
            waiting.extend(
                next.filter(|name| imports.contains_key(*name) && seen.insert((*name).clone()))
                    .cloned(),
            );
        }
        seen
    };
    let reach: BTreeMap<&String, BTreeSet<String>> =
        imports.keys().map(|module| (module, reach(module))).collect();
    let leads = |from: &String, to: &String| reach.get(from).is_some_and(|seen| seen.contains(to));
    let cycle = |module: &&String| -> Vec<String> {
        imports
            .keys()
            .filter(|other| leads(module, other) && leads(other, module))
            .cloned()
            .collect()
    };
    let sets: BTreeSet<Vec<String>> = reach.keys().map(cycle).filter(|set| set.len() > 2).collect();
    sets.into_iter().map(|set| set.join(", ")).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{ANSWER, FACTS, Measures, Outline, Record, Records, cycles, imports, shapes};
    use crate::tidy::source::Source;

    fn outline(path: &str, text: &str) -> Outline {
        Outline::read(&Source::new(path, text)).unwrap()
    }

    #[test]
    fn shapes_are_told_by_their_fields() {
        let text = "struct Told { limit: u8, left: u8, remaining: u8, reset: u8 }\n\
            struct Person { user: u8, org: u8, tier: u8 }\nstruct Asked { user: u8, ip: u8, cost: u8 }\n";
        let file = outline("crates/a/src/a.rs", text);
        assert_eq!(shapes([&file].into_iter(), ANSWER), ["crates/a/src/a.rs Told"]);
        assert_eq!(shapes([&file].into_iter(), FACTS), ["crates/a/src/a.rs Asked"]);
    }

    #[test]
    fn cycles_of_three_modules_are_found_and_pairs_are_not() {
        let files = [
            outline("s/src/a.rs", "use crate::b::B;"),
            outline("s/src/b/mod.rs", "use super::c::C;"),
            outline("s/src/c/x.rs", "fn f() { crate::a::g() }\nuse crate::d::D;"),
            outline("s/src/d.rs", "use crate::e::E;"),
            outline("s/src/e.rs", "use crate::d::D;"),
        ];
        let files: Vec<&Outline> = files.iter().collect();
        assert_eq!(cycles(&imports(&files, "s/src/")), ["a, b, c"]);
    }

    #[test]
    fn worse_is_a_finding_better_is_advice_and_an_update_never_raises() {
        let record = |name: &str| Record {
            name: name.to_owned(),
            what: name.to_owned(),
            before: 9,
            asked: 1,
            record: 5,
        };
        let records = || Records { measure: ["up", "down", "same"].map(record).into() };
        let now =
            BTreeMap::from([("up", (6, vec![])), ("down", (4, vec![])), ("same", (5, vec![]))]);
        let now = Measures(now);
        let (worse, better) = records().compare(&now);
        assert!(worse.len() == 1 && worse[0].message.starts_with("up: 6"), "{worse:?}");
        assert!(better.len() == 1 && better[0].starts_with("down: 4"), "{better:?}");
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("xtask")).unwrap();
        records().update(root.path(), &now).unwrap();
        let kept: Vec<usize> =
            Records::read(root.path()).unwrap().measure.iter().map(|kept| kept.record).collect();
        assert_eq!(kept, [5, 4, 5]);
    }
}
