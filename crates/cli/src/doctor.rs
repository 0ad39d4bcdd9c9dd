//! `tollgate doctor`

use anyhow::Context as _;
use serde_json::{Value, json};
use tollgate_server::{Diagnosis, Grade, Settings};

use crate::{outcome::Outcome, rules::counted, say::Format, settings::SettingFlags};

/// Find out what is wrong: settings, ports, data, database, rules, Redis
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Takes the flags of `tollgate serve`, the environment and the file, and looks at everything \
    a server with these settings needs: each line is ok, a warning or a problem, with the remedy. Nothing is \
    started or changed, and whoever does not answer is waited for some seconds at most. A server may run \
    meanwhile. `tollgate serve --help` lists all of its flags.\n\nExit codes: 0 no problem, perhaps warnings; 1 a problem."
)]
pub(crate) struct Doctor {
    #[command(flatten)]
    settings: SettingFlags,
}

/// What the lines about settings are about.
const SETTINGS: &str = "settings";

impl Doctor {
    pub(crate) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let (mut found, settings) = self.settings();
        if let Some(settings) = settings {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .enable_all()
                .build()
                .context("cannot start the runtime")?;
            found.extend(runtime.block_on(tollgate_server::diagnose(&settings)));
            // Nobody is waited for who has not answered.
            runtime.shutdown_background();
        }
        let [problems, warnings] = [Grade::Problem, Grade::Warning].map(|grade| {
            let such = found.iter().filter(|diagnosis| diagnosis.grade == grade);
            such.count()
        });
        format.say(
            || in_words(&found, problems, warnings),
            || {
                json!({
                    "problems": problems,
                    "warnings": warnings,
                    "checks": found.iter().map(as_json).collect::<Vec<Value>>(),
                })
            },
        )?;
        Ok(if problems == 0 { Outcome::Fine } else { Outcome::Wrong })
    }

    /// What is to be said of the settings, and what they are if they are sound.
    fn settings(&self) -> (Vec<Diagnosis>, Option<Settings>) {
        let problem = |text: String| Diagnosis::told(SETTINGS, Grade::Problem, text);
        let sources = match self.settings.sources() {
            Ok(sources) => sources,
            Err(failure) => return (vec![problem(failure.words)], None),
        };
        match tollgate_server::load(&sources) {
            Err(error) => {
                let problems = error.problems().iter();
                let found = problems.map(|each| problem(each.to_string()));
                (found.collect(), None)
            }
            Ok(loaded) => {
                let fine = "they are sound (`tollgate config` shows them)";
                let mut found = vec![Diagnosis::fine(SETTINGS, fine)];
                let warnings = loaded.warnings.into_iter();
                found.extend(warnings.map(|text| Diagnosis::told(SETTINGS, Grade::Warning, text)));
                (found, Some(loaded.settings))
            }
        }
    }
}

/// A line for each, the remedy below it, and the sum.
fn in_words(found: &[Diagnosis], problems: usize, warnings: usize) -> String {
    let mut text = String::new();
    for Diagnosis { about, grade, text: told, remedy, .. } in found {
        let start = format!("{:<8} {about:<9} ", grade.word());
        let indent = " ".repeat(start.len());
        let mut lines = told.lines();
        text += &format!("{start}{}\n", lines.next().unwrap_or_default());
        for line in lines {
            text += format!("{indent}{line}").trim_end();
            text += "\n";
        }
        if let Some(remedy) = remedy {
            text += &format!("{indent}-> {remedy}\n");
        }
    }
    text + &match (problems, warnings) {
        (0, 0) => "nothing is wrong".to_owned(),
        (0, _) => counted(warnings, "warning"),
        (_, 0) => counted(problems, "problem"),
        _ => format!("{}, {}", counted(problems, "problem"), counted(warnings, "warning")),
    }
}

fn as_json(diagnosis: &Diagnosis) -> Value {
    json!({
        "about": diagnosis.about,
        "grade": diagnosis.grade.word(),
        "text": diagnosis.text,
        "remedy": diagnosis.remedy,
    })
}
