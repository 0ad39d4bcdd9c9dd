//! Waiting for the nodes.

use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Value, json};
use tollgate_catalog::{Catalog, Confirmation, Goal, NodeId};

use crate::outcome::Outcome;

/// How long to wait for the nodes
#[derive(Debug, clap::Args)]
pub(crate) struct Wait {
    /// Wait until every live node runs the change, at most this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    wait: u16,
}

impl Wait {
    /// Which nodes confirmed in time; none if nobody is to be waited for.
    pub(crate) async fn confirm(
        &self,
        catalog: &Catalog,
        goal: Goal,
    ) -> anyhow::Result<Option<Confirmation>> {
        if self.wait == 0 {
            return Ok(None);
        }
        let deadline = Duration::from_secs(self.wait.into());
        let confirmation = catalog.wait_confirmed(goal, deadline).await;
        let confirmation = confirmation.with_context(|| {
            let what = match goal {
                Goal::Revision(number) => format!("revision {number}"),
                _ => "the change".to_owned(),
            };
            format!("{what} is written, but which nodes run it cannot be told")
        })?;
        Ok(Some(confirmation))
    }
}

/// What to put behind a sentence about a change: nothing, if nobody was waited for.
pub(crate) fn and_where(confirmation: Option<&Confirmation>) -> String {
    confirmation.map_or(String::new(), |nodes| format!(", {}", confirmed_in_words(nodes)))
}

/// `in force on 4 of 5 nodes; not yet on node-3`
fn confirmed_in_words(confirmation: &Confirmation) -> String {
    let (done, missing) = (confirmation.confirmed.len(), &confirmation.missing);
    if done + missing.len() == 0 {
        return "no node is running".to_owned();
    }
    let mut text = format!("in force on {done} of {} nodes", done + missing.len());
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(|node| node.as_str()).collect();
        text += &format!("; not yet on {}", names.join(", "));
    }
    text
}

pub(crate) fn as_json(confirmation: Option<&Confirmation>) -> Value {
    let names = |nodes: &[NodeId]| -> Vec<String> {
        nodes.iter().map(|node| node.as_str().to_owned()).collect()
    };
    confirmation.map_or(Value::Null, |confirmation| {
        json!({
            "confirmed": names(&confirmation.confirmed),
            "missing": names(&confirmation.missing),
        })
    })
}

/// A change that is not in force everywhere is not what was asked for.
pub(crate) fn outcome(confirmation: Option<&Confirmation>) -> Outcome {
    match confirmation {
        Some(nodes) if !nodes.is_complete() => Outcome::Wrong,
        _ => Outcome::Fine,
    }
}
