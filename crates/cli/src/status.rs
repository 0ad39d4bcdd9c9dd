//! `tollgate status`

use serde_json::{Value, json};

use crate::{
    nodes,
    outcome::Outcome,
    running::{Server, Verb},
    say::Format,
};

/// Say how a running server is: rules, listeners, database, Redis, nodes
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Asks the admin side of one node. What the node says of itself is in `degraded` (a part does not work as \
    set) and `warnings` (it works as set, and may not be what was meant).\n\nExit codes: 0 all is well, perhaps with \
    warnings; 2 the node is degraded or cannot decide, or a live node does not run the newest revision; 1 an error, or \
    no server answers."
)]
pub(crate) struct Status {
    #[command(flatten)]
    server: Server,
}

impl Status {
    pub(crate) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let about = self.server.done(Verb::Get, "/")?;
        // 503 is an answer, too: it cannot decide.
        let (_, condition) = self.server.ask(Verb::Get, "/readyz")?;
        // The node list is in the rule database, which may be away.
        let found = self.server.done(Verb::Get, nodes::PATH);
        let (nodes, no_nodes) = match found {
            Ok(nodes) => (nodes, None),
            Err(error) => (Value::Null, Some(error.to_string())),
        };
        let report = Report { about, condition, nodes, no_nodes };
        format.say(|| report.in_words(), || report.to_json())?;
        Ok(match report.is_well() {
            true => Outcome::Fine,
            false => Outcome::Different,
        })
    }
}

/// What a server answered.
struct Report {
    about: Value,
    condition: Value,
    nodes: Value,
    /// Why there is no list of nodes.
    no_nodes: Option<String>,
}

impl Report {
    fn is_well(&self) -> bool {
        let is_ready = self.condition.get("ready") == Some(&Value::Bool(true));
        let is_degraded = !texts(&self.condition, "degraded").is_empty();
        is_ready && !is_degraded && self.no_nodes.is_none() && !nodes::is_any_behind(&self.nodes)
    }

    fn to_json(&self) -> Value {
        let (about, condition) = (&self.about, &self.condition);
        json!({
            "well": self.is_well(),
            "node": about.get("node"),
            "region": about.get("region"),
            "version": about.get("version"),
            "ready": condition.get("ready"),
            "revision": condition.get("revision"),
            "newest_revision": self.nodes.get("revision"),
            "demo": condition.get("demo"),
            "degraded": condition.get("degraded"),
            "warnings": condition.get("warnings"),
            "listeners": about.get("listeners"),
            "database": about.get("database"),
            "redis": about.get("redis"),
            "nodes": self.nodes.get("nodes"),
            "nodes_error": self.no_nodes,
        })
    }

    fn in_words(&self) -> String {
        let about = |name: &str| text(&self.about, name);
        let mut lines = vec![
            (
                "node",
                format!(
                    "{}, region {}, tollgate {}",
                    about("node"),
                    about("region"),
                    about("version")
                ),
            ),
            ("rules", self.rules()),
            ("listeners", self.listeners()),
            ("database", about("database")),
            ("redis", self.redis()),
        ];
        for (title, name) in [("degraded", "degraded"), ("warning", "warnings")] {
            let told = texts(&self.condition, name).into_iter();
            lines.extend(told.map(|told| (title, told.to_owned())));
        }
        if let Some(why) = &self.no_nodes {
            lines.push(("degraded", format!("the nodes cannot be listed: {why}")));
        }
        let lines = lines.iter().map(|(title, line)| format!("{title:<11}{line}\n"));
        let mut told: String = lines.collect();
        if self.no_nodes.is_none() {
            told += &format!("\n{}", nodes::in_words(&self.nodes));
        }
        told
    }

    fn rules(&self) -> String {
        let condition = &self.condition;
        let Some(revision) = condition.get("revision").and_then(Value::as_u64) else {
            return "none: nothing can be decided".to_owned();
        };
        match condition.get("demo").and_then(Value::as_bool) {
            Some(true) => "a demonstration, gone with the first rule you write".to_owned(),
            _ => format!("revision {revision} is in force"),
        }
    }

    fn listeners(&self) -> String {
        let listeners = self.about.get("listeners").and_then(Value::as_object);
        let listeners = listeners.into_iter().flatten();
        let each: Vec<String> = listeners
            .map(|(name, address)| format!("{name} {}", address.as_str().unwrap_or("-")))
            .collect();
        each.join(", ")
    }

    fn redis(&self) -> String {
        let redis = match self.about.get("redis") {
            None | Some(Value::Null) => {
                return "none: counters are in the node's memory".to_owned();
            }
            Some(redis) => redis,
        };
        let shards = redis.get("shards").and_then(Value::as_array);
        let shards = shards.map_or(&[][..], Vec::as_slice);
        let up = shards.iter().filter(|shard| text(shard, "state") == "up");
        format!("{}, {} of {} shards up", text(redis, "address"), up.count(), shards.len())
    }
}

fn text(of: &Value, name: &str) -> String {
    of.get(name).and_then(Value::as_str).unwrap_or("-").to_owned()
}

fn texts<'a>(of: &'a Value, name: &str) -> Vec<&'a str> {
    let items = of.get(name).and_then(Value::as_array);
    items.into_iter().flatten().filter_map(Value::as_str).collect()
}
