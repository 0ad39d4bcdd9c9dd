//! `tollgate nodes`

use serde_json::Value;

use crate::{
    outcome::Outcome,
    running::{Server, Verb},
    say::Format,
    table,
};

/// List the nodes: the revision of each, and when it was last seen
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A node is `live` while it reports to the rule database, `behind` if it is live and does not run the \
    newest revision yet, `left` once it was stopped, and `silent` if it ended without a word. Nodes that were silent \
    for a week are not listed.\n\nExit codes: 0 every live node runs the newest revision; 2 a live node is behind; 1 an \
    error, or no server answers."
)]
pub(crate) struct Nodes {
    #[command(flatten)]
    server: Server,
}

/// Where a server lists its nodes.
pub(crate) const PATH: &str = "/ratelimit/nodes";

impl Nodes {
    pub(crate) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let answer = self.server.done(Verb::Get, PATH)?;
        format.say(|| in_words(&answer), || answer.clone())?;
        Ok(match is_any_behind(&answer) {
            true => Outcome::Different,
            false => Outcome::Fine,
        })
    }
}

/// A line for each node, below the newest revision.
pub(crate) fn in_words(answer: &Value) -> String {
    let newest = number(answer, "revision");
    let head = ["NODE", "STATE", "REVISION", "SEEN", "STARTED"].map(str::to_owned);
    let rows = list(answer).iter().map(|node| {
        let mut name = text(node, "id").to_owned();
        if truth(node, "this") {
            name += " (this)";
        }
        vec![
            name,
            state(node, newest).to_owned(),
            number(node, "revision").to_string(),
            text(node, "seen_at").to_owned(),
            text(node, "started_at").to_owned(),
        ]
    });
    let rows: Vec<Vec<String>> = std::iter::once(head.to_vec()).chain(rows).collect();
    format!("newest revision: {newest}\n{}", table::lines(&rows))
}

/// Whether a live node does not run the newest revision.
pub(crate) fn is_any_behind(answer: &Value) -> bool {
    let newest = number(answer, "revision");
    let mut nodes = list(answer).iter();
    nodes.any(|node| state(node, newest) == "behind")
}

fn state(node: &Value, newest: u64) -> &'static str {
    match (truth(node, "left"), truth(node, "live")) {
        (true, _) => "left",
        (false, false) => "silent",
        (false, true) if number(node, "revision") < newest => "behind",
        (false, true) => "live",
    }
}

fn list(answer: &Value) -> &[Value] {
    let nodes = answer.get("nodes").and_then(Value::as_array);
    nodes.map_or(&[], Vec::as_slice)
}

fn text<'a>(of: &'a Value, name: &str) -> &'a str {
    of.get(name).and_then(Value::as_str).unwrap_or("-")
}

fn number(of: &Value, name: &str) -> u64 {
    of.get(name).and_then(Value::as_u64).unwrap_or_default()
}

fn truth(of: &Value, name: &str) -> bool {
    of.get(name).and_then(Value::as_bool).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_live_node_with_an_older_revision_is_behind() {
        let node = |id: &str, revision: u64, live: bool, left: bool| {
            json!({
                "id": id, "this": id == "gate-1", "revision": revision, "live": live, "left": left,
                "seen_at": "2026-11-15T22:16:42Z", "started_at": "2026-11-15T20:00:00Z",
            })
        };
        let mut answer = json!({
            "revision": 12,
            "nodes": [
                node("gate-1", 12, true, false),
                node("gate-2", 11, true, false),
                node("gate-3", 4, false, true),
                node("gate-4", 4, false, false),
            ],
        });
        let told = in_words(&answer);
        let expected = "\
newest revision: 12
NODE           STATE   REVISION  SEEN                  STARTED
gate-1 (this)  live    12        2026-11-15T22:16:42Z  2026-11-15T20:00:00Z
gate-2         behind  11        2026-11-15T22:16:42Z  2026-11-15T20:00:00Z
gate-3         left    4         2026-11-15T22:16:42Z  2026-11-15T20:00:00Z
gate-4         silent  4         2026-11-15T22:16:42Z  2026-11-15T20:00:00Z
";
        assert_eq!(told, expected);
        assert!(is_any_behind(&answer));
        answer["nodes"][1]["revision"] = json!(12);
        assert!(!is_any_behind(&answer));
    }
}
