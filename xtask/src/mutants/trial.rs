//! One mutant at a time, in a copy of the repository.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use super::catalogue::Mutant;
use super::patch;
use super::report::Outcome;
use super::tree;
use crate::task::{Captured, Task};
use crate::tidy::visible_files;

/// A loop that a mutant made endless is cut here.
const TEST_SECONDS_MAX: u32 = 300;

/// The copy that is broken and repaired, with build output of its own.
#[derive(Debug)]
pub(crate) struct Workshop {
    tree: PathBuf,
    target: PathBuf,
}

impl Workshop {
    pub(crate) fn open(root: &Path) -> anyhow::Result<Self> {
        let folder = root.join("target/mutants");
        let workshop = Self {
            tree: folder.join("tree"),
            target: folder.join("target"),
        };
        tree::sync(root, &workshop.tree, &visible_files(root)?)?;
        Ok(workshop)
    }

    /// The mutated text of the mutant's file.
    pub(crate) fn text(&self, mutant: &Mutant) -> anyhow::Result<String> {
        let original = self.original(mutant)?;
        patch::apply(&original, &mutant.find, &mutant.replace)
            .with_context(|| format!("mutant `{}` in {}", mutant.name, mutant.file))
    }

    /// The tests must be green before a red one means anything.
    pub(crate) fn baseline(&self, mutants: &[Mutant]) -> anyhow::Result<()> {
        let mut done = BTreeSet::new();
        for mutant in mutants {
            if done.insert((&mutant.package, &mutant.test, &mutant.env)) {
                self.green(mutant)?;
            }
        }
        Ok(())
    }

    pub(crate) fn attempt(&self, mutant: &Mutant) -> anyhow::Result<Outcome> {
        let path = self.tree.join(&mutant.file);
        let original = self.original(mutant)?;
        tree::write_if_changed(&path, self.text(mutant)?.as_bytes())?;
        let outcome = self.judge(mutant);
        tree::write_if_changed(&path, original.as_bytes())?;
        outcome
    }

    fn green(&self, mutant: &Mutant) -> anyhow::Result<()> {
        let task = self.tests(mutant, &[]);
        println!("$ {task}");
        let run = task.capture()?;
        if !run.success() {
            let Captured { stdout, stderr, .. } = run;
            bail!("the tests fail without any mutant: {task}\n{stdout}\n{stderr}");
        }
        Ok(())
    }

    /// Builds first: only then is a failure a test's and not the compiler's.
    fn judge(&self, mutant: &Mutant) -> anyhow::Result<Outcome> {
        let build = self.tests(mutant, &["--no-run"]).capture()?;
        if !build.success() {
            return Ok(Outcome::DoesNotCompile(build.stderr));
        }
        let run = self
            .tests(mutant, &[])
            .limited(TEST_SECONDS_MAX)
            .capture()?;
        Ok(Outcome::of_tests(run.code, &run.stdout))
    }

    fn original(&self, mutant: &Mutant) -> anyhow::Result<String> {
        fs::read_to_string(self.tree.join(&mutant.file))
            .with_context(|| format!("mutant `{}`: reading {}", mutant.name, mutant.file))
    }

    fn tests(&self, mutant: &Mutant, options: &[&str]) -> Task {
        let task = Task::cargo(["test", "--package", &mutant.package])
            .args(options.iter().copied())
            .args(mutant.test.iter().cloned())
            .env("CARGO_TARGET_DIR", self.target.to_string_lossy())
            .dir(&self.tree);
        mutant
            .env
            .iter()
            .fold(task, |task, (name, value)| task.env(name, value))
    }
}
