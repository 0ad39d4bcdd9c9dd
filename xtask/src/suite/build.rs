//! Builds every test, and finds the programs that came out of it.

use std::fs;
use std::io::BufReader;
use std::process::Stdio;

use anyhow::{Context as _, bail};
use cargo_metadata::{Artifact, Message, Metadata, TargetKind};

use super::options::Narrowing;
use super::target::{Kind, Target};
use crate::task::{Task, root};
use crate::workspace;

/// How long a build of everything takes that finds nothing built, on the machine of the README's numbers.
const FIRST_BUILD: &str = "about 6 minutes on 2 cores";

/// What was built.
#[derive(Debug, Default)]
pub(crate) struct Built {
    /// Programs that are tests.
    pub(crate) tests: Vec<Target>,
    pub(crate) examples: Vec<Target>,
}

pub(crate) fn build(narrowing: &Narrowing) -> anyhow::Result<Built> {
    if narrowing.is_none() {
        let crates = crates(&fs::read_to_string(root().join("Cargo.lock"))?);
        println!("building {crates} crates: {FIRST_BUILD} the first time, then what has changed");
    }
    let task = task(narrowing);
    println!("$ {task}");
    let mut child = task
        .command()
        .stdout(Stdio::piped())
        .spawn()
        .context("could not start `cargo`, is it installed?")?;
    let output = child.stdout.take().context("cargo has no output")?;
    let metadata = workspace::metadata()?;
    let mut built = Built::default();
    for message in Message::parse_stream(BufReader::new(output)) {
        match message.context("reading what cargo has built")? {
            Message::CompilerArtifact(artifact) => built.add(&artifact, &metadata),
            Message::TextLine(line) => println!("{line}"),
            _ => (),
        }
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("the tests do not build ({status}); to see it again: {task}");
    }
    // Cargo reports in the order in which crates were ready, which is never the same.
    built.tests.sort_by_key(Target::label);
    Ok(built)
}

fn task(narrowing: &Narrowing) -> Task {
    Task::cargo(["test"])
        .args(narrowing.cargo())
        .args(["--no-run", "--message-format=json-render-diagnostics"])
}

/// How many packages a lock file lists.
fn crates(lock: &str) -> usize {
    lock.lines().filter(|line| *line == "[[package]]").count()
}

impl Built {
    /// Whether there are doctests: cargo looks for them only in libraries.
    pub(crate) fn has_library(&self) -> bool {
        self.tests.iter().any(|target| target.kind == Kind::Lib)
    }

    fn add(&mut self, artifact: &Artifact, metadata: &Metadata) {
        let Some(target) = target(artifact, metadata) else {
            return;
        };
        if artifact.profile.test {
            self.tests.push(target);
        } else if matches!(target.kind, Kind::Example(_)) {
            self.examples.push(target);
        }
    }
}

/// An artifact that is a program of ours.
fn target(artifact: &Artifact, metadata: &Metadata) -> Option<Target> {
    let executable = artifact.executable.as_ref()?;
    let is_it = |package: &&cargo_metadata::Package| package.id == artifact.package_id;
    let package = metadata.packages.iter().find(is_it)?;
    let name = || artifact.target.name.clone();
    let kind = match artifact.target.kind.first()? {
        TargetKind::Bin => Kind::Bin(name()),
        TargetKind::Test => Kind::Test(name()),
        TargetKind::Example => Kind::Example(name()),
        _ => Kind::Lib,
    };
    Some(Target {
        package: package.name.to_string(),
        version: package.version.to_string(),
        kind,
        folder: package.manifest_path.parent()?.into(),
        executable: executable.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::{Built, Kind, crates, target, task};
    use crate::suite::options::Narrowing;
    use crate::workspace::metadata;
    use cargo_metadata::{Artifact, Message};

    /// A line of cargo about a program of this very package.
    fn artifact(kind: &str, test: &str) -> Artifact {
        let metadata = metadata().unwrap();
        let xtask = metadata.packages.iter().find(|it| it.name == "xtask");
        let xtask = xtask.unwrap();
        let line = format!(
            r#"{{"reason":"compiler-artifact","package_id":"{}","manifest_path":"{}",
            "target":{{"kind":["{kind}"],"crate_types":["bin"],"name":"thing","src_path":"/s.rs","edition":"2024",
            "doc":false,"doctest":false,"test":true}},
            "profile":{{"opt_level":"1","debuginfo":0,"debug_assertions":true,"overflow_checks":true,"test":{test}}},
            "features":[],"filenames":["/t/thing"],"executable":"/t/thing","fresh":true}}"#,
            xtask.id, xtask.manifest_path
        );
        let line = line.replace('\n', " ");
        match Message::parse_stream(line.as_bytes()).next() {
            Some(Ok(Message::CompilerArtifact(artifact))) => artifact,
            other => panic!("not an artifact: {other:?}"),
        }
    }

    #[test]
    fn programs_of_the_workspace_are_found_by_their_kind() {
        let metadata = metadata().unwrap();
        let test = target(&artifact("test", "true"), &metadata).unwrap();
        assert_eq!(test.label(), "xtask thing");
        assert!(test.folder.ends_with("xtask"), "{test:?}");
        let bin = target(&artifact("bin", "true"), &metadata).unwrap();
        assert_eq!(bin.kind, Kind::Bin("thing".to_owned()));
    }

    #[test]
    fn tests_and_examples_are_kept_and_the_rest_is_not() {
        let metadata = metadata().unwrap();
        let mut built = Built::default();
        built.add(&artifact("test", "true"), &metadata);
        built.add(&artifact("example", "false"), &metadata);
        built.add(&artifact("bin", "false"), &metadata);
        assert_eq!((built.tests.len(), built.examples.len()), (1, 1));
        assert!(!built.has_library());
        built.add(&artifact("lib", "true"), &metadata);
        assert!(built.has_library());
    }

    #[test]
    fn the_build_says_what_it_has_built() {
        let line = task(&Narrowing::default()).to_string();
        assert_eq!(
            line,
            "cargo test --workspace --exclude tollgate-benches --no-run \
             --message-format=json-render-diagnostics"
        );
    }

    #[test]
    fn a_lock_file_is_counted_by_its_packages() {
        assert_eq!(crates("version = 4\n\n[[package]]\nname = \"a\"\n\n[[package]]\n"), 2);
    }
}
