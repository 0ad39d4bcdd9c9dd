//! `tollgate config`

use serde_json::{Value, json};

use crate::{outcome::Outcome, say::Format, settings::SettingFlags};

/// Print every setting, its value, and where that came from
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Takes the flags of `tollgate serve`, the environment and the file, and starts \
    nothing. Secrets are not shown. `tollgate serve --help` lists all of its flags.\n\nExit codes: 0 the settings are sound; 1 they are not."
)]
pub(crate) struct Config {
    #[command(flatten)]
    settings: SettingFlags,
}

impl Config {
    pub(crate) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let effective = self.settings.load(format)?.effective;
        format.say(
            || effective.to_string(),
            || {
                let shown = effective.shown().iter().map(|shown| {
                    json!({
                        "setting": shown.name,
                        "value": shown.value,
                        "origin": shown.origin.word(),
                        "place": shown.origin.to_string(),
                    })
                });
                json!({ "settings": shown.collect::<Vec<Value>>() })
            },
        )?;
        Ok(Outcome::Fine)
    }
}
