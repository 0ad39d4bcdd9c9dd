//! `cargo xtask mutants`: compiles defects in, one at a time, and shows that each turns a test red.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use serde::Deserialize;

use crate::stopwatch::{Stopwatch, seconds};
use crate::table;
use crate::task::{Captured, Task, root};
use crate::tools;

const CATALOGUE: &str = "xtask/mutants.toml";

/// A loop that a mutant made endless is cut here.
const TEST_SECONDS_MAX: u32 = 300;

/// The exit code of coreutils' `timeout` when the time is up.
const TIMED_OUT: i32 = 124;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Catalogue {
    mutant: Vec<Mutant>,
}

/// A defect under `cfg(mutant = "name")`, and the tests that must notice it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mutant {
    name: String,
    package: String,
    test: Vec<String>,
    why: String,
}

pub(crate) fn list() -> anyhow::Result<()> {
    let rows: Vec<Vec<String>> =
        load()?.into_iter().map(|mutant| vec![mutant.name, mutant.package, mutant.why]).collect();
    print!("{}", table::render(&["name", "package", "why"], &rows));
    Ok(())
}

/// Every mutant that cargo-mutants can think of, for as long as it takes. The arguments go to cargo-mutants.
pub(crate) fn run_generated(args: &[String]) -> anyhow::Result<()> {
    tools::ensure("mutants")?;
    Task::cargo(["mutants"]).args(args.iter().cloned()).run()
}

pub(crate) fn run(names: &[String]) -> anyhow::Result<()> {
    let mutants = chosen(load()?, names)?;
    // The tests must be green before a red one means anything.
    let mut seen = BTreeSet::new();
    for mutant in &mutants {
        if seen.insert((&mutant.package, &mutant.test)) {
            let task = mutant.tests(&[]);
            println!("$ {task}");
            let Captured { code, stdout, stderr } = task.capture()?;
            if code != Some(0) {
                bail!("the tests fail without any mutant: {task}\n{stdout}\n{stderr}");
            }
        }
    }
    let mut rows = Vec::new();
    let mut survivors = 0;
    for mutant in &mutants {
        println!("{}: {}", mutant.name, mutant.why);
        let watch = Stopwatch::start();
        let caught_by = mutant.attempt()?;
        survivors += usize::from(caught_by.is_none());
        let caught_by = caught_by.unwrap_or_else(|| "NOTHING: it survived".to_owned());
        rows.push(vec![mutant.name.clone(), seconds(watch.elapsed()), caught_by]);
    }
    print!("\n{}", table::render(&["name", "time", "caught by"], &rows));
    if survivors > 0 {
        bail!("{survivors} of {} mutants turned no test red", rows.len());
    }
    Ok(())
}

fn load() -> anyhow::Result<Vec<Mutant>> {
    let text = fs::read_to_string(root().join(CATALOGUE))?;
    let catalogue: Catalogue = toml::from_str(&text).with_context(|| format!("in {CATALOGUE}"))?;
    Ok(catalogue.mutant)
}

fn chosen(mut mutants: Vec<Mutant>, names: &[String]) -> anyhow::Result<Vec<Mutant>> {
    if let Some(name) = names.iter().find(|name| mutants.iter().all(|mutant| mutant.name != **name))
    {
        bail!("no mutant `{name}`: `cargo xtask mutants --list` shows them");
    }
    mutants.retain(|mutant| names.is_empty() || names.contains(&mutant.name));
    Ok(mutants)
}

impl Mutant {
    /// The test that noticed, or `None`. Builds first: only then is a failure a test's and not the compiler's.
    fn attempt(&self) -> anyhow::Result<Option<String>> {
        let wrapper = self.compiler()?;
        let wrapped = |task: Task| task.env("RUSTC_WORKSPACE_WRAPPER", wrapper.to_string_lossy());
        let build = wrapped(self.tests(&["--no-run"])).capture()?;
        if !build.success() {
            bail!("`{}` does not compile:\n{}", self.name, build.stderr);
        }
        let run = wrapped(self.tests(&[])).limited(TEST_SECONDS_MAX).capture()?;
        Ok(noticed(run.code, &run.stdout))
    }

    fn tests(&self, options: &[&str]) -> Task {
        Task::cargo(["test", "--package", &self.package])
            .args(options.iter().copied())
            .args(self.test.iter().cloned())
            .env("CARGO_TARGET_DIR", folder().to_string_lossy())
    }

    /// A compiler that sees this mutant. It compiles our crates only, so that the others are built once for all
    /// mutants; cargo tells apart what compilers of different names have built.
    fn compiler(&self) -> anyhow::Result<PathBuf> {
        let path = folder().join("compilers").join(&self.name);
        fs::create_dir_all(folder().join("compilers"))?;
        fs::write(&path, format!("#!/bin/sh\nexec \"$@\" --cfg 'mutant=\"{}\"'\n", self.name))?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(path)
    }
}

fn folder() -> PathBuf {
    root().join("target/mutants")
}

/// What noticed a mutant, by how its tests ended and what they printed.
fn noticed(code: Option<i32>, stdout: &str) -> Option<String> {
    let failed =
        |line: &str| line.strip_prefix("test ")?.strip_suffix(" ... FAILED").map(str::to_owned);
    match code {
        Some(0) => None,
        Some(TIMED_OUT) => Some("(a test that never ends)".to_owned()),
        _ => stdout.lines().find_map(failed).or(Some("(the tests aborted)".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{chosen, load, noticed};
    use crate::task::root;
    use crate::tidy::read_sources;

    /// A mutant that no line of the product asks for proves nothing, and one that is not listed is never run.
    #[test]
    fn the_list_names_what_is_in_the_product() {
        let listed: BTreeSet<String> =
            load().unwrap().into_iter().map(|mutant| mutant.name).collect();
        let sources = read_sources(&root()).unwrap();
        let rust = sources.iter().filter(|source| source.path.starts_with("crates/"));
        let after = rust.flat_map(|source| source.text.split("(mutant = \"").skip(1));
        let found = after.map(|rest| rest.split('"').next().unwrap().to_owned());
        assert_eq!(found.collect::<BTreeSet<String>>(), listed);
    }

    #[test]
    fn some_can_be_chosen_by_name() {
        let pick = |name: &str| chosen(load().unwrap(), &[name.to_owned()]);
        assert_eq!(pick("slot-does-not-flip").unwrap().len(), 1);
        assert!(pick("slot-does-not-flop").is_err());
    }

    #[test]
    fn the_first_failing_test_is_named_and_a_green_run_is_a_survivor() {
        let red =
            "test laws::burst ... ok\ntest laws::steady ... FAILED\ntest laws::other ... FAILED\n";
        assert_eq!(noticed(Some(101), red).unwrap(), "laws::steady");
        assert_eq!(noticed(Some(0), ""), None);
        assert!(noticed(Some(124), "").is_some(), "a hang is caught");
        assert!(noticed(None, "").is_some(), "so is an abort");
    }
}
