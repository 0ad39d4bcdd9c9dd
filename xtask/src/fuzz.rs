//! `cargo xtask fuzz`: each fuzz target for a while, on the pinned stable compiler.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};

use crate::needs;
use crate::prepare;
use crate::task::{Task, root};
use crate::tools;

pub(crate) fn run(target: Option<&str>, seconds: u32) -> anyhow::Result<()> {
    let targets = chosen(targets(&root().join("fuzz/fuzz_targets"))?, target)?;
    prepare::ensure(needs::FOR_FUZZING)?;
    tools::ensure("fuzz")?;
    for target in targets {
        fuzz(&target, seconds).run()?;
    }
    Ok(())
}

fn targets(folder: &Path) -> anyhow::Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

fn chosen(known: Vec<String>, wanted: Option<&str>) -> anyhow::Result<Vec<String>> {
    let Some(wanted) = wanted else {
        return Ok(known);
    };
    if !known.iter().any(|name| name == wanted) {
        bail!("no fuzz target `{wanted}`, there is: {}", known.join(", "));
    }
    Ok(vec![wanted.to_owned()])
}

/// The sanitizer's flags are for nightly compilers; the variable lets the stable one take them.
fn fuzz(target: &str, seconds: u32) -> Task {
    Task::cargo(["fuzz", "run", target, "--", &format!("-max_total_time={seconds}")])
        .env("RUSTC_BOOTSTRAP", "1")
}

#[cfg(test)]
mod tests {
    use super::{chosen, fuzz, targets};
    use crate::task::root;

    #[test]
    fn targets_are_the_files_of_the_folder() {
        let names = targets(&root().join("fuzz/fuzz_targets")).unwrap();
        assert!(names.contains(&"limit_text".to_owned()), "{names:?}");
    }

    #[test]
    fn an_unknown_target_is_answered_with_the_known_ones() {
        let error = chosen(vec!["limit_text".to_owned()], Some("limits")).unwrap_err();
        assert_eq!(error.to_string(), "no fuzz target `limits`, there is: limit_text");
    }

    #[test]
    fn a_target_runs_for_the_time_given() {
        let line = fuzz("limit_text", 5).to_string();
        assert_eq!(line, "RUSTC_BOOTSTRAP=1 cargo fuzz run limit_text -- -max_total_time=5");
    }
}
