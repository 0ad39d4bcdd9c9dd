//! `tollgate redis …`

use clap::Subcommand;
use serde_json::Value;

use crate::{
    outcome::Outcome,
    running::{Server, Verb},
    say::Format,
};

/// What a fleet shares through Redis
#[derive(Debug, Subcommand)]
pub(crate) enum RedisCommand {
    /// End all doubt about counters that Redis may have lost, at once
    Trust(Trust),
}

/// End all doubt about counters that Redis may have lost, at once
#[derive(Debug, clap::Args)]
#[command(
    after_help = "After a server of Redis was restarted or another took over, every process tells it what it has spent. \
    While one that may have spent has not told (it was killed, say), a counter that is not there is in doubt, and \
    `on_failure` answers for it: `tollgate status` says until when. This ends it on every server: what no process has told \
    counts as never spent, and may be admitted once more.\n\nIt goes on record in `tollgate audit`. Other nodes hear of \
    it within a second.\n\nExit codes: 0 done, or nothing was in doubt; 1 an error, or no server answers."
)]
pub(crate) struct Trust {
    #[command(flatten)]
    server: Server,
}

pub(crate) fn run(command: &RedisCommand, format: Format) -> anyhow::Result<Outcome> {
    let RedisCommand::Trust(trust) = command;
    let answer = trust.server.done(Verb::Do, "/ratelimit/redis/trust")?;
    format.say(|| in_words(&answer), || answer.clone())?;
    Ok(Outcome::Fine)
}

fn in_words(answer: &Value) -> String {
    let number = |name: &str| answer.get(name).and_then(Value::as_u64).unwrap_or(0);
    match (number("in_doubt"), number("shards")) {
        (0, shards) => format!("nothing was in doubt on {shards} shards\n"),
        (in_doubt, shards) => {
            format!("{in_doubt} of {shards} shards were in doubt; their counters are trusted now\n")
        }
    }
}
