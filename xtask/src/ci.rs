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
    tasks: Vec<Task>,
}

pub(crate) fn run() -> anyhow::Result<()> {
    let mut rows = Vec::new();
    let mut outcome = Ok(());
    for Step { name, tasks } in steps(&libraries()?) {
        let watch = Stopwatch::start();
        println!("\n== {name}");
        outcome = tasks.iter().try_for_each(perform);
        let result = if outcome.is_ok() { "ok" } else { "FAILED" };
        rows.push(vec![name.to_owned(), seconds(watch.elapsed()), result.to_owned()]);
        if let Err(failed) = &outcome {
            outcome = Err(anyhow::anyhow!("step `{name}`: {failed}"));
            break;
        }
    }
    print!("\n{}", table::render(&["step", "time", "result"], &rows));
    outcome
}

fn perform(task: &Task) -> anyhow::Result<()> {
    if task.run().is_err() {
        bail!("failed; to run it again: {task}");
    }
    Ok(())
}

fn steps(libraries: &[String]) -> Vec<Step> {
    let run = |name, task| Step { name, tasks: vec![task] };
    let alone = libraries.iter().map(|name| Task::cargo(["check", "--package", name]));
    let docs = Task::cargo(["doc", "--workspace", "--no-deps"])
        .args(["--exclude", "tollgate-benches", "--exclude", "xtask"])
        .env("RUSTDOCFLAGS", "-Dwarnings");
    // What fails fast comes first; the tests take longer than everything before them.
    vec![
        run("format", Task::cargo(["fmt", "--all", "--check"])),
        run("tidy", Task::cargo(["xtask", "tidy"])),
        run(
            "lint",
            Task::cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
        ),
        run("docs", docs),
        Step { name: CRATE_ALONE, tasks: alone.collect() },
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

#[cfg(test)]
mod tests {
    use super::{perform, steps};
    use crate::task::Task;

    #[test]
    fn every_library_is_checked_alone() {
        let libraries = ["tollgate".to_owned(), "tollgate-core".to_owned()];
        let steps = steps(&libraries);
        let alone = steps.iter().find(|step| step.name == super::CRATE_ALONE).unwrap();
        let lines: Vec<String> = alone.tasks.iter().map(Task::to_string).collect();
        assert_eq!(
            lines,
            ["cargo check --package tollgate", "cargo check --package tollgate-core"]
        );
    }

    #[test]
    fn a_failure_says_what_to_type() {
        let error = perform(&Task::new("false")).unwrap_err();
        assert_eq!(error.to_string(), "failed; to run it again: false");
    }
}
