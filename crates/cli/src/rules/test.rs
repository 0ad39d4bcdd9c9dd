//! `tollgate rules test`

use std::path::PathBuf;

use serde_json::{Value, json};
use tollgate::{TrialFailure, run_trial};

use crate::{file::File, outcome::Outcome, say::Format};

/// Run the tests inside files, on virtual time
#[derive(Debug, clap::Args)]
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
            for trial in &document.trials {
                if self
                    .only
                    .as_ref()
                    .is_none_or(|only| trial.name.contains(&**only))
                {
                    ran.push(Ran {
                        file: file.name(),
                        name: trial.name.to_string(),
                        line: trial.line,
                        result: run_trial(&document.rules, trial),
                    });
                }
            }
        }
        let failed = ran.iter().filter(|ran| ran.result.is_err()).count();
        format.say(|| in_words(&ran, failed), || as_json(&ran));
        Ok(if failed > 0 {
            Outcome::Wrong
        } else {
            Outcome::Fine
        })
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

fn as_json(ran: &[Ran]) -> Value {
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
    json!({ "tests": ran.iter().map(one).collect::<Vec<Value>>() })
}
