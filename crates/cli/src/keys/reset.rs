//! `tollgate keys reset`

use super::{target::Target, words};
use crate::{outcome::Outcome, running::Verb, say::Format};

/// Make the counters of a request fresh, at once
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Fields: user_id, org_id, api_key, ip, tier, endpoint, method, region, attributes.NAME.\n\n\
    With Redis they are fresh for the whole fleet, whichever node is asked; without, on that node alone. \
    `tollgate keys show` with the same words shows beforehand which those are.\n\n\
    Exit codes: 0 reset; 1 an error, or there was nothing to reset."
)]
pub(crate) struct Reset {
    #[command(flatten)]
    target: Target,
}

impl Reset {
    pub(super) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let answer = self.target.ask(Verb::Delete)?;
        format.say(|| words::reset(&answer), || answer.clone())?;
        Ok(if words::counters(&answer).is_empty() { Outcome::Wrong } else { Outcome::Fine })
    }
}
