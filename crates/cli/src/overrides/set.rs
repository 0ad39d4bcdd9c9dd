//! `tollgate overrides set`

use anyhow::bail;
use serde_json::{Map, Value, json};
use tollgate_catalog::{Catalog, Draft, Goal, OverrideId};
use tollgate_rules::{Override, document};

use super::list::described;
use crate::{
    database::{Database, Wait, Who, confirmed_as_json, confirmed_in_words},
    outcome::Outcome,
    say::Format,
    when,
};

/// Give one key other limits, for a while or for good
#[derive(Debug, clap::Args)]
#[command(
    after_help = "tollgate overrides set --rule login --key user=acme --limit 500/min --for 7day \
    --reason 'contract 412'\n  tollgate overrides set --key user=acme --factor 2x --until 2027-01-01T00:00:00Z"
)]
pub(crate) struct Set {
    /// The rule; without it every rule that counts by exactly these facts
    #[arg(long, value_name = "RULE")]
    rule: Option<String>,
    /// A fact of the key, for every field of the rule's key
    #[arg(long = "key", value_name = "FIELD=VALUE", required = true)]
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
    /// The moment at which it ends by itself
    #[arg(long, value_name = "MOMENT")]
    until: Option<String>,
    /// How long it lasts, for example 2h or 7day
    #[arg(long = "for", value_name = "SPAN")]
    span: Option<String>,
}

impl Set {
    pub(super) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let exception = self.exception()?;
        let id = match self.id {
            None => None,
            Some(id) => match OverrideId::new(id) {
                Some(id) => Some(id),
                None => bail!("{id} is not the id of an override"),
            },
        };
        self.database.with(async |catalog: Catalog| {
            let draft = Draft {
                id,
                what: exception.clone(),
            };
            let written = catalog.put_override(draft, &self.who.author()).await?;
            let confirmation = self
                .wait
                .confirm(&catalog, Goal::Overrides(written.seq))
                .await?;
            let ids: Vec<u64> = written.ids.iter().map(|id| id.get()).collect();
            format.say(
                || {
                    let id = ids.first().copied().unwrap_or_default();
                    let nodes = confirmation.as_ref().map(confirmed_in_words);
                    let nodes = nodes.map_or(String::new(), |nodes| format!(", {nodes}"));
                    format!("override {id}: {}{nodes}", described(&exception))
                },
                || {
                    json!({
                        "ids": ids,
                        "sequence": written.seq.get(),
                        "nodes": confirmed_as_json(confirmation.as_ref()),
                    })
                },
            );
            let is_everywhere = confirmation.is_none_or(|nodes| nodes.is_complete());
            Ok(if is_everywhere {
                Outcome::Fine
            } else {
                Outcome::Wrong
            })
        })
    }

    /// What was typed, read as a file would be.
    fn exception(&self) -> anyhow::Result<Override> {
        let mut key = Map::new();
        for fact in &self.keys {
            let Some((field, value)) = fact.split_once('=') else {
                bail!("--key {fact}: write FIELD=VALUE, for example user=acme");
            };
            if key.insert(field.to_owned(), json!(value)).is_some() {
                bail!("--key {field} is given twice");
            }
        }
        let mut fields = Map::new();
        let mut put = |name: &str, value: Option<Value>| {
            fields.extend(value.map(|value| (name.to_owned(), value)));
        };
        put("rule", self.rule.as_ref().map(|rule| json!(rule)));
        put("key", Some(Value::Object(key)));
        put(
            "limit",
            self.change.limit.as_ref().map(|limit| json!(limit)),
        );
        put(
            "limits",
            self.change.limits.as_ref().map(|limits| json!(limits)),
        );
        put(
            "factor",
            self.change.factor.as_ref().map(|factor| json!(factor)),
        );
        put("unlimited", self.change.unlimited.then_some(json!(true)));
        put(
            "reason",
            self.who.reason.as_ref().map(|reason| json!(reason)),
        );
        let exception = document::read_override(&Value::Object(fields).to_string());
        let mut exception = exception.map_err(|report| {
            let problems = report.problems.iter().map(|problem| match &problem.help {
                Some(help) => format!("{} ({help})", problem.message),
                None => problem.message.clone(),
            });
            anyhow::anyhow!(problems.collect::<Vec<_>>().join("; "))
        })?;
        exception.until = match (&self.end.until, &self.end.span) {
            (Some(until), _) => Some(when::moment(until)?),
            (None, Some(span)) => Some(when::from_now(span)?),
            (None, None) => None,
        };
        if exception.until.is_some_and(|until| until <= when::now()) {
            bail!("the override would have ended already: --until is a moment to come");
        }
        Ok(exception)
    }
}
