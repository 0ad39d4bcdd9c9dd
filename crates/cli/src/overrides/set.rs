//! `tollgate overrides set`

use anyhow::{Context as _, bail};
use serde_json::{Map, Value, json};
use tollgate_catalog::{Catalog, Draft, Goal, OverrideId};
use tollgate_core::Timestamp;
use tollgate_rules::document;

use super::{fit, list::described};
use crate::{
    database::Database,
    outcome::Outcome,
    say::Format,
    wait::{self, Wait},
    when,
    who::Who,
};

/// Give one key other limits, for a while or for good
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 set; 1 an error, or a node that did not confirm in time.

Examples:
  tollgate overrides set --rule login --key user=acme --limit 500/min --for 7day --reason 'contract 412'
  tollgate overrides set --key user=acme --factor 2x --until 2027-01-01T00:00:00Z
  tollgate overrides set --key user=acme --factor 2x --until friday
  tollgate overrides set --rule login --key user=acme --unlimited --wait 10")]
pub(crate) struct Set {
    /// The rule; without it every rule that counts by exactly these facts
    #[arg(long, value_name = "RULE")]
    rule: Option<String>,
    /// A fact of the key; repeated for every field of the rule's key, never for a rule with key: []
    #[arg(long = "key", value_name = "FIELD=VALUE")]
    keys: Vec<String>,
    #[command(flatten)]
    change: Change,
    #[command(flatten)]
    end: End,
    /// Replace the override with this id
    #[arg(long, value_name = "ID")]
    id: Option<u64>,
    #[command(flatten)]
    who: Who,
    #[command(flatten)]
    wait: Wait,
    #[command(flatten)]
    database: Database,
}

/// What counts instead
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Change {
    /// Another limit of the same period; the rule's other limits stay
    #[arg(long, value_name = "LIMIT")]
    limit: Option<String>,
    /// These limits instead of all of the rule's, separated by commas
    #[arg(long, value_name = "LIMITS", value_delimiter = ',')]
    limits: Option<Vec<String>>,
    /// Every limit times this, for example 2x
    #[arg(long, value_name = "FACTOR")]
    factor: Option<String>,
    /// No limit at all
    #[arg(long)]
    unlimited: bool,
}

/// When it ends
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
struct End {
    /// When it ends by itself: 2027-01-01T00:00:00Z, or a day (2027-01-01, friday), which lasts to its end in UTC
    #[arg(long, value_name = "MOMENT")]
    until: Option<String>,
    /// How long it lasts, for example 2h or 7day
    #[arg(long = "for", visible_alias = "ttl", value_name = "SPAN")]
    span: Option<String>,
}

impl Set {
    pub(super) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let typed = self.typed()?;
        let until = self.until()?;
        let id = self.id.map(id).transpose()?;
        self.database.look(async |catalog: Catalog| {
            let live = catalog.latest().await?;
            let fit::Fitted { mut what, warnings } = fit::fitted(&typed, &live.set)?;
            what.until = until;
            let what = Draft { id, what };
            for warning in &warnings {
                format.remark(|| format!("warning: {warning}"));
            }
            let written = catalog.put_override(what.clone(), &self.who.author()).await?;
            let goal = Goal::Overrides(written.seq);
            let confirmation = self.wait.confirm(&catalog, goal).await?;
            let id = written.ids.first().map(|id| id.get());
            let nodes = confirmation.as_ref();
            format.say(
                || {
                    let (id, nodes) = (id.unwrap_or_default(), wait::and_where(nodes));
                    format!("override {id}: {}{nodes}", described(&what.what))
                },
                || {
                    json!({
                        "id": id,
                        "override": document::override_json(&what.what),
                        "sequence": written.seq.get(),
                        "warnings": warnings,
                        "nodes": wait::as_json(nodes),
                    })
                },
            )?;
            Ok(wait::outcome(nodes))
        })
    }

    /// What was typed, as a file would have it.
    fn typed(&self) -> anyhow::Result<Value> {
        let mut key = Map::new();
        for fact in &self.keys {
            let Some((field, value)) = fact.split_once('=') else {
                bail!("--key {fact}: write FIELD=VALUE, for example user=acme");
            };
            let field = rule_field(field);
            if key.insert(field.to_owned(), json!(value)).is_some() {
                bail!("--key {field} is given twice");
            }
        }
        let Change { limit, limits, factor, unlimited } = &self.change;
        let fields = [
            ("rule", json!(self.rule)),
            ("key", Value::Object(key)),
            ("limit", json!(limit)),
            ("limits", json!(limits)),
            ("factor", json!(factor)),
            ("unlimited", json!(unlimited.then_some(true))),
            ("reason", json!(self.who.reason)),
        ];
        let given = fields.into_iter().filter(|(_, value)| !value.is_null());
        Ok(given.map(|(name, value)| (name.to_owned(), value)).collect())
    }

    fn until(&self) -> anyhow::Result<Option<Timestamp>> {
        let until = match (&self.end.until, &self.end.span) {
            (Some(until), _) => Some(when::moment(until).context("--until")?),
            (None, Some(span)) => Some(when::from_now(span).context("--for")?),
            (None, None) => None,
        };
        if until.is_some_and(|until| until <= when::now()) {
            bail!("--until: the override would have ended already, give a moment to come");
        }
        Ok(until)
    }
}

/// Requests say `user_id`, rules say `user`: both are taken.
fn rule_field(typed: &str) -> &str {
    match typed {
        "user_id" => "user",
        "org_id" => "org",
        other => other,
    }
}

/// An id that was typed.
pub(super) fn id(typed: u64) -> anyhow::Result<OverrideId> {
    let id = OverrideId::new(typed);
    id.with_context(|| format!("{typed} is not the id of an override"))
}
