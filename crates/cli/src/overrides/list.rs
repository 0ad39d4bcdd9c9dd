//! `tollgate overrides list`

use serde_json::{Value, json};
use tollgate_catalog::{Catalog, Listing, OVERRIDES_PAGE_MAX, StoredOverride};
use tollgate_core::Timestamp;
use tollgate_rules::{Change, Name, Override, document};

use crate::{database::Database, outcome::Outcome, say::Format, when};

/// List overrides
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// Only those of this rule
    #[arg(long, value_name = "RULE")]
    rule: Option<Name>,
    /// Also those that have ended
    #[arg(long)]
    all: bool,
    /// How many of those in the database to list, the oldest first
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..i64::from(OVERRIDES_PAGE_MAX)))]
    limit: u32,
    #[command(flatten)]
    database: Database,
}

impl List {
    pub(super) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let now = when::now();
        let mut listing = Listing::default().count(self.limit.saturating_add(1));
        if let Some(rule) = &self.rule {
            listing = listing.rule(rule.clone());
        }
        if !self.all {
            listing = listing.in_force_at(now);
        }
        self.database.look(async |catalog: Catalog| {
            let mut found = catalog.overrides(&listing).await?;
            let shown = usize::try_from(self.limit)?;
            let has_more = found.len() > shown;
            found.truncate(shown);
            // Those of the file are part of the revision.
            let live = catalog.latest().await?;
            let is_meant = |exception: &&Override| {
                let is_named = self.rule.is_none() || exception.rule == self.rule;
                is_named && (self.all || exception.until.is_none_or(|until| now < until))
            };
            let in_file: Vec<Override> =
                live.set.overrides.iter().filter(is_meant).cloned().collect();
            format.say(
                || {
                    let more = if has_more { "there are more: --limit shows them\n" } else { "" };
                    in_words(&found, &in_file, now) + more
                },
                || {
                    let found = found.iter().map(|stored| as_json(stored, now));
                    let in_file = in_file.iter().map(document::override_json);
                    json!({
                        "overrides": found.collect::<Vec<Value>>(),
                        "in_file": in_file.collect::<Vec<Value>>(),
                        "more": has_more,
                    })
                },
            )?;
            Ok(Outcome::Fine)
        })
    }
}

fn in_words(found: &[StoredOverride], in_file: &[Override], now: Timestamp) -> String {
    if found.is_empty() && in_file.is_empty() {
        return "no overrides\n".to_owned();
    }
    let mut text = String::new();
    for stored in found {
        let ended = match (&stored.removed, stored.is_in_force(now)) {
            (Some(removal), _) => format!(", removed by {}", removal.by),
            (None, false) => ", ended".to_owned(),
            (None, true) => String::new(),
        };
        text += &format!(
            "{:>6}  {}, by {}{ended}\n",
            stored.id,
            described(&stored.what),
            stored.author
        );
    }
    for exception in in_file {
        text += &format!("  file  {}\n", described(exception));
    }
    text
}

/// As differences are told: `login [user=acme]: 500/min until 2027-01-01T00:00:00Z (contract 412)`
pub(crate) fn described(exception: &Override) -> String {
    let rule = exception.rule.as_ref().map_or("every rule", Name::as_str);
    let key = exception.key.iter().map(|(field, value)| format!("{field}={value}"));
    let change = match &exception.change {
        Change::Limit(limit) => limit.to_string(),
        Change::Limits(limits) => {
            let limits = limits.iter().map(ToString::to_string);
            limits.collect::<Vec<_>>().join(", ")
        }
        Change::Factor(factor) => factor.to_string(),
        _ => "unlimited".to_owned(),
    };
    let until =
        exception.until.map_or(String::new(), |until| format!(" until {}", when::shown(until)));
    let reason = exception.reason.as_ref().map_or(String::new(), |reason| format!(" ({reason})"));
    let key = key.collect::<Vec<_>>().join(", ");
    format!("{rule} [{key}]: {change}{until}{reason}")
}

fn as_json(stored: &StoredOverride, now: Timestamp) -> Value {
    let mut json = document::override_json(&stored.what);
    if let Value::Object(fields) = &mut json {
        fields.insert("id".to_owned(), json!(stored.id.get()));
        fields.insert("author".to_owned(), json!(&*stored.author));
        fields.insert("created_at".to_owned(), json!(when::shown(stored.created_at)));
        fields.insert("in_force".to_owned(), json!(stored.is_in_force(now)));
    }
    json
}
