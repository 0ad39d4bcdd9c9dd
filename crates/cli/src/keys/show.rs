//! `tollgate keys show`

use super::{target::Target, words};
use crate::{outcome::Outcome, running::Verb, say::Format};

/// Show the counters that a request would be charged on; charge nothing
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Fields: user_id, org_id, api_key, ip, tier, endpoint, method, region, attributes.NAME.\n\n\
    With Redis the numbers are those of the whole fleet, whichever node is asked.\n\n\
    Exit codes: 0 told; 1 an error."
)]
pub(crate) struct Show {
    #[command(flatten)]
    target: Target,
}

impl Show {
    pub(super) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let answer = self.target.ask(Verb::Get)?;
        format.say(|| words::shown(&answer), || answer.clone())?;
        Ok(Outcome::Fine)
    }
}
