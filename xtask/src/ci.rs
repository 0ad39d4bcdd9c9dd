//! `cargo xtask ci`: everything a change must pass, in order, stopping at the first failure.

use anyhow::bail;
use cargo_metadata::Package;

use crate::stopwatch::{Stopwatch, seconds};
use crate::table;
use crate::task::Task;
use crate::workspace;

const CRATE_ALONE: &str = "each crate alone";

/// One line of the table at the end.
#[derive(Debug)]
struct Step {
    name: &'static str,
    work: Work,
}

#[derive(Debug)]
enum Work {
    Run(Vec<Task>),
    Skip(&'static str),
}

pub(crate) fn run() -> anyhow::Result<()> {
    let steps = steps(&libraries()?, supply()?);
    let mut rows = Vec::new();
    let mut outcome = Ok(());
    for step in &steps {
        let watch = Stopwatch::start();
        println!("\n== {}", step.name);
        outcome = step.work.perform();
        let result = match (&outcome, &step.work) {
            (Err(_), _) => "FAILED",
            (Ok(()), Work::Run(_)) => "ok",
            (Ok(()), Work::Skip(_)) => "not installed",
        };
        rows.push(vec![
            step.name.to_owned(),
            seconds(watch.elapsed()),
            result.to_owned(),
        ]);
        if let Err(failed) = &outcome {
            outcome = Err(anyhow::anyhow!("step `{}`: {failed}", step.name));
            break;
        }
    }
    print!("\n{}", table::render(&["step", "time", "result"], &rows));
    outcome
}

impl Work {
    fn perform(&self) -> anyhow::Result<()> {
        match self {
            Self::Run(tasks) => tasks.iter().try_for_each(perform),
            Self::Skip(why) => {
                println!("{why}");
                Ok(())
            }
        }
    }
}

fn perform(task: &Task) -> anyhow::Result<()> {
    if task.run().is_err() {
        bail!("failed; to run it again: {task}");
    }
    Ok(())
}

fn steps(libraries: &[String], supply: Work) -> Vec<Step> {
    let run = |name, task| Step {
        name,
        work: Work::Run(vec![task]),
    };
    let alone = libraries
        .iter()
        .map(|name| Task::cargo(["check", "--package", name]));
    // What fails fast comes first; the tests take longer than everything before them.
    vec![
        run("format", Task::cargo(["fmt", "--all", "--check"])),
        run("tidy", Task::cargo(["xtask", "tidy"])),
        Step {
            name: "supply",
            work: supply,
        },
        run(
            "lint",
            Task::cargo(["clippy", "--workspace", "--all-targets"]).args(["--", "-D", "warnings"]),
        ),
        run(
            "docs",
            Task::cargo(["doc", "--workspace", "--no-deps"])
                .args(["--exclude", "tollgate-benches", "--exclude", "xtask"])
                .env("RUSTDOCFLAGS", "-Dwarnings"),
        ),
        Step {
            name: CRATE_ALONE,
            work: Work::Run(alone.collect()),
        },
        run("test", Task::cargo(["xtask", "test", "--busy=real"])),
    ]
}

/// The workspace's library crates, which must each build without the others' features.
fn libraries() -> anyhow::Result<Vec<String>> {
    let metadata = workspace::metadata()?;
    let packages = metadata.workspace_packages();
    let libraries = packages.into_iter().filter(|package| has_library(package));
    Ok(libraries.map(|package| package.name.to_string()).collect())
}

fn has_library(package: &Package) -> bool {
    package.targets.iter().any(cargo_metadata::Target::is_lib)
}

fn supply() -> anyhow::Result<Work> {
    if Task::cargo(["deny", "--version"]).capture()?.success() {
        let task = Task::cargo(["deny", "check", "bans", "licenses", "sources"]);
        return Ok(Work::Run(vec![task]));
    }
    Ok(Work::Skip(
        "cargo-deny is not installed: the step `tidy` stands in, it has held the licence, \
         the name and the source of every dependency against deny.toml",
    ))
}

#[cfg(test)]
mod tests {
    use super::{Work, perform, steps};
    use crate::task::Task;

    #[test]
    fn every_library_is_checked_alone() {
        let libraries = ["tollgate".to_owned(), "tollgate-core".to_owned()];
        let steps = steps(&libraries, Work::Skip("no cargo-deny"));
        let alone = steps
            .iter()
            .find(|step| step.name == super::CRATE_ALONE)
            .unwrap();
        let Work::Run(tasks) = &alone.work else {
            panic!("nothing to run")
        };
        let lines: Vec<String> = tasks.iter().map(Task::to_string).collect();
        assert_eq!(
            lines,
            [
                "cargo check --package tollgate",
                "cargo check --package tollgate-core"
            ]
        );
    }

    #[test]
    fn a_failure_says_what_to_type() {
        let error = perform(&Task::new("false")).unwrap_err();
        assert_eq!(error.to_string(), "failed; to run it again: false");
    }
}
