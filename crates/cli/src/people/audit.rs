//! `tollgate audit`

use serde_json::{Value, json};

use super::{body::word, table};
use crate::{
    outcome::Outcome,
    running::{Server, Verb, path},
    say::{Format, print, print_json},
};

/// Who changed what, and who was turned away; newest first
#[derive(Debug, clap::Args)]
#[command(
    after_help = "--json prints every row as one line of JSON, so that a file of them can be kept and searched.\n\n\
    Exit codes: 0 told; 1 an error."
)]
pub(crate) struct Audit {
    /// Only from this moment on, such as 2027-01-01T00:00:00Z
    #[arg(long, value_name = "MOMENT")]
    since: Option<String>,
    /// Only before this moment
    #[arg(long, value_name = "MOMENT")]
    until: Option<String>,
    /// Only what this one did, or tried
    #[arg(long, value_name = "NAME")]
    actor: Option<String>,
    /// Only what was done to the object of this id
    #[arg(long, value_name = "ID")]
    object: Option<String>,
    /// Only what was done to objects of this kind, such as api_key or block
    #[arg(long, value_name = "KIND")]
    object_kind: Option<String>,
    /// The most rows
    #[arg(long, value_name = "COUNT", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    limit: u32,
    #[command(flatten)]
    server: Server,
}

/// The rows of one request.
const PAGE: u32 = 1_000;

impl Audit {
    pub(crate) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let rows = self.rows()?;
        match format {
            Format::Json => {
                let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
                print_json(&lines)?;
            }
            Format::Text => print(&in_words(rows))?,
        }
        Ok(Outcome::Fine)
    }

    /// All that are asked for, page by page.
    fn rows(&self) -> anyhow::Result<Vec<Value>> {
        let mut rows: Vec<Value> = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let have = u32::try_from(rows.len()).unwrap_or(u32::MAX);
            let limit = self.limit.saturating_sub(have).min(PAGE);
            if limit == 0 {
                return Ok(rows);
            }
            let limit = limit.to_string();
            let query = [
                ("since", self.since.as_deref()),
                ("until", self.until.as_deref()),
                ("actor", self.actor.as_deref()),
                ("object", self.object.as_deref()),
                ("object_kind", self.object_kind.as_deref()),
                ("limit", Some(limit.as_str())),
                ("cursor", cursor.as_deref()),
            ];
            let mut answer = self.server.done(Verb::Get, &path("/ratelimit/audit", &query))?;
            if let Some(Value::Array(page)) = answer.get_mut("rows").map(Value::take) {
                rows.extend(page);
            }
            cursor = answer.get("next_cursor").and_then(Value::as_str).map(str::to_owned);
            if cursor.is_none() {
                return Ok(rows);
            }
        }
    }
}

fn in_words(mut rows: Vec<Value>) -> String {
    for row in &mut rows {
        let object = format!("{} {}", word(row, "object_kind"), word(row, "object"));
        let times = row.get("times").and_then(Value::as_u64).unwrap_or(1);
        let outcome = match times {
            1 => word(row, "outcome"),
            times => format!("{} {times} times", word(row, "outcome")),
        };
        if let Value::Object(members) = row {
            members.insert("object".to_owned(), json!(object));
            members.insert("outcome".to_owned(), json!(outcome));
        }
    }
    let columns = [
        ("AT", "at"),
        ("ACTOR", "actor"),
        ("ROLE", "role"),
        ("ACTION", "action"),
        ("OBJECT", "object"),
        ("OUTCOME", "outcome"),
        ("FROM", "from"),
        ("REASON", "reason"),
    ];
    table::of(&json!({ "rows": rows }), "rows", &columns, "nothing of that is on record")
}
