//! What is typed, and what is printed.

use serde_json::json;

use super::{gateway::Gateway, place::Place};
use crate::{
    outcome::{Failure, Outcome},
    say::Format,
    settings::SettingFlags,
};

/// Print a configuration that makes a gateway ask this server
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Takes the flags of `tollgate serve`, the environment and the file, so that the addresses are \
    those of the server, and starts nothing. What you have to change is said in the comments. `tollgate serve --help` lists all of its flags.\n\n\
    Exit codes: 0 printed; 1 the settings are not sound."
)]
pub(crate) struct Snippet {
    /// The gateway; `haproxy` needs the Lua file of `haproxy-lua`, too
    #[arg(value_enum)]
    gateway: Gateway,
    #[command(flatten)]
    settings: SettingFlags,
}

impl Snippet {
    pub(crate) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let settings = self.settings.load(format)?.settings;
        let place = Place::of(&settings).map_err(Failure::new)?;
        let text = place.fill(self.gateway.template());
        format
            .say(|| text.clone(), || json!({ "gateway": self.gateway.name(), "snippet": text }))?;
        Ok(Outcome::Fine)
    }
}
