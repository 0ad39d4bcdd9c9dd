//! `tollgate explain`

use std::path::PathBuf;

use serde_json::{Value, json};
use tollgate_catalog::{Catalog, Listing};
use tollgate_rules::{Directory, Explanation, RuleSet, Snapshot};

use crate::{
    database::Database,
    facts::{Fact, Facts},
    file::File,
    outcome::Outcome,
    running::{self, Credentials, Verb},
    say::Format,
    when,
};

/// Say which rules a request meets, which it misses, and why
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Fields: user_id, org_id, api_key, token, ip, tier, endpoint, method, region, cost, scope, \
    attributes.NAME. token is a JWT or an API key, read as the server reads that of a client.\n\nAsks the running server unless --rules, --database or --data names the rules. \
    Nothing is charged.\n\nExit codes: 0 told; 1 an error."
)]
pub(crate) struct Explain {
    /// The facts of the request: user_id=alice endpoint=/api/v1/login method=POST
    #[arg(required = true, value_name = "FIELD=VALUE")]
    facts: Vec<Fact>,
    /// The rules in this file, without a server
    #[arg(long, value_name = "FILE", conflicts_with_all = ["database", "data", "admin"])]
    rules: Option<PathBuf>,
    /// The newest rules in this database, without a server: sqlite:PATH or postgres://…
    #[arg(long, value_name = "URL", conflicts_with_all = ["data", "admin"])]
    database: Option<String>,
    /// The newest rules in the SQLite file of this folder, without a server
    #[arg(long, value_name = "DIR", conflicts_with = "admin")]
    data: Option<PathBuf>,
    /// Where the running server has its admin side [default: 127.0.0.1:7080] [env: TOLLGATE_ADMIN]
    #[arg(long, value_name = "ADDRESS")]
    admin: Option<String>,
    #[command(flatten)]
    credentials: Credentials,
}

/// The overrides of a catalog that are held against a request here; a server knows all.
const OVERRIDES_MAX: u32 = 10_000;

/// What consistency means without a server to ask.
const COUNTING: &str =
    "without Redis every consistency mode (exact, leased, local) counts on each node alone";

/// The same, and what it would mean with Redis for each limit.
fn counting(explanation: &Explanation) -> String {
    let told = explanation
        .sharing()
        .map(|(rule, limit, sharing)| format!("{} {limit}: {sharing}", rule.name));
    let told: Vec<String> = told.collect();
    match told.is_empty() {
        true => COUNTING.to_owned(),
        false => format!("through Redis: {}; {COUNTING}", told.join("; ")),
    }
}

impl Explain {
    pub(crate) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        let facts = Facts::new(&self.facts)?;
        if let Some(path) = &self.rules {
            let rules = File::read(path)?.document(format)?.rules;
            return tell(&explained(&rules, 0, &Directory::new(), &facts)?, format);
        }
        if let Some(database) = self.catalog() {
            let explanation = database.look(async |catalog: Catalog| {
                let revision = catalog.latest().await?;
                let directory = directory(&catalog).await?;
                explained(&revision.set, revision.number.get(), &directory, &facts)
            })?;
            return tell(&explanation, format);
        }
        self.ask(&facts, format)
    }

    fn catalog(&self) -> Option<Database> {
        let is_named = self.database.is_some() || self.data.is_some();
        is_named.then(|| Database::named(self.database.clone(), self.data.clone()))
    }

    /// The server that runs.
    fn ask(&self, facts: &Facts, format: Format) -> anyhow::Result<Outcome> {
        let admin = running::admin(self.admin.as_ref());
        let body = facts.to_json()?;
        let path = "/ratelimit/explain";
        let (status, answer) = running::ask(Verb::Post(&body), &admin, path, &self.credentials)?;
        if status != 200 {
            return Err(running::refusal(status, &answer));
        }
        format.say(|| in_words(&answer), || answer.clone())?;
        Ok(Outcome::Fine)
    }
}

fn explained(
    rules: &RuleSet,
    revision: u64,
    directory: &Directory,
    facts: &Facts,
) -> anyhow::Result<Explanation> {
    let snapshot = Snapshot::compile(rules, revision);
    Ok(snapshot.explain(&facts.query()?, directory, when::now()))
}

async fn directory(catalog: &Catalog) -> anyhow::Result<Directory> {
    let directory = Directory::new();
    let listing = Listing::default().in_force_at(when::now()).count(OVERRIDES_MAX);
    for stored in catalog.overrides(&listing).await? {
        directory.put(stored.id.get(), stored.rule_id, &stored.what);
    }
    Ok(directory)
}

fn tell(explanation: &Explanation, format: Format) -> anyhow::Result<Outcome> {
    format.say(
        || format!("{explanation}{}", counting(explanation)),
        || {
            let mut json = explanation.to_json();
            if let Value::Object(members) = &mut json {
                members.insert("consistency".to_owned(), json!(counting(explanation)));
            }
            json
        },
    )?;
    Ok(Outcome::Fine)
}

/// What a server told, in the words that [`Explanation`] has for it.
fn in_words(answer: &Value) -> String {
    let text = |of: &Value, name: &str| {
        of.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let revision = answer.get("revision").and_then(Value::as_u64).unwrap_or_default();
    let tier = text(answer, "tier");
    let unknown = match answer.get("tier_note").and_then(Value::as_str) {
        Some(note) => format!(" ({note})"),
        None => String::new(),
    };
    let mut words = format!("revision {revision}, tier {tier}{unknown}\n");
    if let Some(blocked) = answer.get("blocked").and_then(Value::as_str) {
        let block = answer.get("block");
        let reason = block.map(|block| text(block, "reason"));
        let reason = reason.filter(|reason| !reason.is_empty());
        let reason = reason.map(|reason| format!(": {reason}"));
        let reason = reason.unwrap_or_default();
        words += &format!("denied before any rule: {blocked} is blocked{reason}\n");
    }
    let rules = answer.get("rules").and_then(Value::as_array);
    for rule in rules.into_iter().flatten() {
        let mark = match text(rule, "fate").as_str() {
            "applied" => '+',
            "ended" | "denied" => '!',
            _ => '-',
        };
        words += &format!("{mark} {}: {}\n", text(rule, "rule"), text(rule, "text"));
    }
    if let Some(far @ 1..) = answer.get("not_shown").and_then(Value::as_u64) {
        let plural = if far == 1 { "rule does" } else { "rules do" };
        words += &format!("{far} more {plural} not match\n");
    }
    words + &text(answer, "consistency")
}
