//! `tollgate keys hot`

use serde_json::Value;

use crate::{
    outcome::Outcome,
    running::{self, Server, Verb},
    say::Format,
};

/// Show the keys that a node is asked for most
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The numbers are those of one node, over the last one to two minutes, and estimates: one decision \
    in 64 is looked at, and each number has its error.\n\nExit codes: 0 told; 1 an error."
)]
pub(crate) struct Hot {
    /// The most keys that are shown
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    limit: u16,
    #[command(flatten)]
    server: Server,
}

impl Hot {
    pub(super) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let path = format!("/ratelimit/keys/top?limit={}", self.limit);
        let (status, answer) = self.server.ask(Verb::Get, &path)?;
        if status != 200 {
            return Err(running::refusal(status, &answer));
        }
        format.say(|| in_words(&answer), || answer.clone())?;
        Ok(Outcome::Fine)
    }
}

/// A line for each key, the busiest first, and what the numbers are about.
fn in_words(answer: &Value) -> String {
    let number = |of: &Value, name: &str| of.get(name).and_then(Value::as_u64).unwrap_or_default();
    let text = |of: &Value, name: &str| {
        let text = of.get(name).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    let keys = answer.get("keys").and_then(Value::as_array);
    let keys: Vec<[String; 3]> = keys
        .into_iter()
        .flatten()
        .map(|key| {
            let name = format!("{} [{}]", text(key, "rule"), text(key, "key"));
            [name, number(key, "count").to_string(), number(key, "error").to_string()]
        })
        .collect();
    let about = format!(
        "on node {}, in the last {} s, estimated from one decision in {}",
        text(answer, "node"),
        number(answer, "span_s"),
        number(answer, "sampled_one_in")
    );
    if keys.is_empty() {
        return format!("no key was seen {about}");
    }
    let widest = keys.iter().map(|[_, count, _]| count.len()).max();
    let width = widest.unwrap_or_default();
    let lines = keys.iter().zip(1_u32..).map(|([name, count, error], rank)| {
        format!("{rank:>4}. {count:>width$} requests, give or take {error}: {name}\n")
    });
    lines.collect::<String>() + about.as_str()
}
