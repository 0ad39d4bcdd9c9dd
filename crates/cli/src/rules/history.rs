//! `tollgate rules history`

use serde_json::{Value, json};
use tollgate_catalog::{Catalog, HISTORY_PAGE_MAX, Page, RevisionInfo, RevisionNumber};
use tollgate_rules::diff;

use super::{counted, differences, number};
use crate::{database::Database, outcome::Outcome, say::Format, when};

/// List revisions, or the changes of one
#[derive(Debug, clap::Args)]
pub(crate) struct History {
    /// What this revision changed
    revision: Option<u64>,
    /// How many revisions to list
    #[arg(long, value_name = "COUNT", default_value_t = 20, conflicts_with = "revision")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(HISTORY_PAGE_MAX)))]
    limit: u32,
    /// List those before this revision
    #[arg(long, value_name = "REVISION", conflicts_with = "revision")]
    before: Option<u64>,
    #[command(flatten)]
    database: Database,
}

impl History {
    pub(super) fn run(&self, format: Format) -> anyhow::Result<Outcome> {
        self.database.look(async |catalog: Catalog| {
            match self.revision {
                Some(wanted) => one(&catalog, number(wanted)?, format).await?,
                None => self.list(&catalog, format).await?,
            }
            Ok(Outcome::Fine)
        })
    }

    async fn list(&self, catalog: &Catalog, format: Format) -> anyhow::Result<()> {
        let page = Page::newest(self.limit);
        let page = match self.before {
            Some(before) => page.before(number(before)?),
            None => page,
        };
        let revisions = catalog.history(page).await?;
        format.say(
            || match (revisions.is_empty(), self.before) {
                (true, None) => {
                    "no revisions yet: `tollgate rules apply FILE` makes the first".to_owned()
                }
                (true, Some(before)) => format!("no revisions before {before}"),
                (false, _) => revisions.iter().map(|info| in_words(info) + "\n").collect(),
            },
            || json!({ "revisions": revisions.iter().map(as_json).collect::<Vec<Value>>() }),
        )
    }
}

async fn one(catalog: &Catalog, number: RevisionNumber, format: Format) -> anyhow::Result<()> {
    let info = catalog.revision(number).await?;
    let after = catalog.load(number).await?;
    let before = match catalog.history(Page::newest(1).before(number)).await?.first() {
        Some(before) => catalog.load(before.number).await?,
        None => catalog.load(RevisionNumber::ZERO).await?,
    };
    let diff = diff(&before.set, &after.set);
    format.say(
        || format!("{}\n\n{diff}", in_words(&info)),
        || {
            let mut json = as_json(&info);
            if let Value::Object(fields) = &mut json {
                fields.insert("differences".to_owned(), differences(&diff));
            }
            json
        },
    )
}

fn in_words(info: &RevisionInfo) -> String {
    let RevisionInfo { number, author, .. } = info;
    let deed = match info.back_to {
        Some(back_to) => format!("{} to {back_to}", info.kind),
        None => info.kind.to_string(),
    };
    let changed = usize::try_from(info.changed).unwrap_or(usize::MAX);
    let changed = counted(changed, "change");
    let reason = info.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
    let at = when::shown(info.created_at);
    format!("{number:>6}  {at}  {deed} by {author}, {changed}{reason}")
}

fn as_json(info: &RevisionInfo) -> Value {
    json!({
        "revision": info.number.get(),
        "hash": info.hash.to_string(),
        "kind": info.kind.word(),
        "back_to": info.back_to.map(RevisionNumber::get),
        "author": &*info.author,
        "reason": info.reason.as_deref(),
        "at": when::shown(info.created_at),
        "changed": info.changed,
    })
}
