//! `tollgate rules test`

use std::path::PathBuf;

use anyhow::bail;
use serde_json::{Value, json};
use tollgate::{TrialFailure, run_trial};

use crate::{file::File, outcome::Outcome, say::Format};

/// Run the tests inside files, on virtual time
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 all passed, 1 one failed or an error.")]
pub(crate) struct Test {
    /// Rules files; - is the standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Only tests whose name holds this text
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
}

struct Ran {
    file: String,
    name: String,
    line: usize,
    result: Result<(), TrialFailure>,
}

impl Test {
    pub(super) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let mut ran = Vec::new();
        for path in &self.files {
            let file = File::read(path)?;
            let document = file.document(format)?;
            let trials = document.trials.iter();
            for trial in trials.filter(|trial| self.is_meant(&trial.name)) {
                ran.push(Ran {
                    file: file.name(),
                    name: trial.name.to_string(),
                    line: trial.line,
                    result: run_trial(&document.rules, trial),
                });
            }
        }
        if let (true, Some(only)) = (ran.is_empty(), &self.only) {
            bail!("no test has {only:?} in its name");
        }
        let failed = ran.iter().filter(|ran| ran.result.is_err()).count();
        format.say(|| in_words(&ran, failed), || as_json(&ran, failed))?;
        Ok(if failed > 0 { Outcome::Wrong } else { Outcome::Fine })
    }

    fn is_meant(&self, name: &str) -> bool {
        let only = self.only.as_ref();
        only.is_none_or(|only| name.contains(&**only))
    }
}

fn in_words(ran: &[Ran], failed: usize) -> String {
    if ran.is_empty() {
        return "no tests: write some under `tests:` in the rules file".to_owned();
    }
    let mut text = String::new();
    for ran in ran {
        text += &match &ran.result {
            Ok(()) => format!("ok      {}\n", ran.name),
            Err(failure) => format!("FAILED  {}\n        {}: {failure}\n", ran.name, ran.file),
        };
    }
    text + &format!("{} passed, {failed} failed", ran.len() - failed)
}

fn as_json(ran: &[Ran], failed: usize) -> Value {
    let one = |ran: &Ran| {
        let failure = ran.result.as_ref().err();
        json!({
            "file": ran.file,
            "name": ran.name,
            "line": ran.line,
            "passed": ran.result.is_ok(),
            "failure": failure.map(|failure| json!({
                "line": failure.line,
                "request": failure.time,
                "expected": failure.wanted,
                "got": failure.got,
            })),
        })
    };
    json!({
        "passed": ran.len() - failed,
        "failed": failed,
        "tests": ran.iter().map(one).collect::<Vec<Value>>(),
    })
}
