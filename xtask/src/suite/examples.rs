//! The example programs, which must run to a good end.

use std::time::Duration;

use super::follow::follow;
use super::report::{Failure, Report};
use super::target::{Kind, Target};
use crate::stopwatch::{Stopwatch, seconds};

/// Examples that end by themselves; the others serve until they are stopped, and are built only.
const RUN: &[(&str, &str)] = &[
    ("tollgate", "quickstart"),
    ("tollgate", "weighted_cost"),
    ("tollgate", "own_store_async"),
    ("tollgate", "leaky_shaping"),
];

pub(crate) fn run(built: &[Target], deadline: Duration, report: &mut Report) -> anyhow::Result<()> {
    for &(package, name) in RUN {
        match built.iter().find(|target| is(target, package, name)) {
            Some(target) => one(target, deadline, report)?,
            None => anyhow::bail!("there is no example `{name}` in the package `{package}`"),
        }
    }
    Ok(())
}

fn is(target: &Target, package: &str, name: &str) -> bool {
    target.package == package && matches!(&target.kind, Kind::Example(it) if it == name)
}

fn one(target: &Target, deadline: Duration, report: &mut Report) -> anyhow::Result<()> {
    let watch = Stopwatch::start();
    let mut output = String::new();
    let ending = follow(&target.run(), deadline, |line| {
        output.push_str(line);
        output.push('\n');
    })?;
    let label = target.label();
    if ending.success() {
        report.passed += 1;
        println!("{label}: passed, {}", seconds(watch.elapsed()));
    } else {
        println!("---- FAILED: {label}: {ending}\n{output}");
        report.add_failure(Failure { what: format!("{label}: {ending}"), again: target.again() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Duration, Kind, Report, Target, one, run};

    fn example(name: &str, executable: &str) -> Target {
        Target {
            package: "tollgate".to_owned(),
            version: "0.1.0".to_owned(),
            kind: Kind::Example(name.to_owned()),
            folder: "/".into(),
            executable: executable.into(),
        }
    }

    #[test]
    fn an_example_passes_or_is_listed() {
        let mut report = Report::default();
        let deadline = Duration::from_secs(300);
        one(&example("good", "true"), deadline, &mut report).unwrap();
        one(&example("bad", "false"), deadline, &mut report).unwrap();
        assert_eq!((report.passed, report.failed), (1, 1));
        let text = report.render();
        assert!(text.contains("cargo run -p tollgate --example bad"), "{text}");
    }

    #[test]
    fn an_example_that_is_gone_is_missed() {
        let mut report = Report::default();
        let error = run(&[], Duration::from_secs(1), &mut report).unwrap_err();
        assert!(error.to_string().contains("`quickstart`"), "{error}");
    }
}
