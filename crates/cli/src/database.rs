//! Which catalog a command works on.

use std::{future::Future, path::PathBuf, time::Duration};

use anyhow::Context as _;
use tollgate_catalog::{Author, Catalog, Confirmation, DatabaseUrl, Goal};

/// Where the rules live
#[derive(Debug, clap::Args)]
pub(crate) struct Database {
    /// The rule database: sqlite:PATH or postgres://…; without it the SQLite file in --data
    #[arg(
        long,
        env = "TOLLGATE_DATABASE",
        value_name = "URL",
        hide_env_values = true
    )]
    database: Option<DatabaseUrl>,
    /// The folder of the SQLite file
    #[arg(
        long,
        env = "TOLLGATE_DATA",
        value_name = "DIR",
        default_value = "./tollgate-data"
    )]
    data: PathBuf,
}

/// What the SQLite file in `--data` is called.
const FILE: &str = "tollgate.db";

impl Database {
    fn url(&self) -> DatabaseUrl {
        let in_data = || DatabaseUrl::file(self.data.join(FILE));
        self.database.clone().unwrap_or_else(in_data)
    }

    /// Runs `work` on the catalog.
    pub(crate) fn with<T, F>(&self, work: impl FnOnce(Catalog) -> F) -> anyhow::Result<T>
    where
        F: Future<Output = anyhow::Result<T>>,
    {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("cannot start the runtime")?;
        let url = self.url();
        runtime.block_on(async {
            let catalog = Catalog::open(&url).await;
            let catalog = catalog.with_context(|| format!("cannot use {url}"))?;
            work(catalog).await
        })
    }
}

/// Who changes something, and why
#[derive(Debug, clap::Args)]
pub(crate) struct Who {
    /// Who does this
    #[arg(
        long,
        env = "TOLLGATE_AUTHOR",
        value_name = "NAME",
        default_value = "cli"
    )]
    author: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}

impl Who {
    pub(crate) fn author(&self) -> Author {
        let author = Author::new(&self.author);
        match &self.reason {
            Some(reason) => author.because(reason),
            None => author,
        }
    }
}

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
        Ok(Some(catalog.wait_confirmed(goal, deadline).await?))
    }
}

/// `applied on 4 of 5 nodes; not yet on node-3`
pub(crate) fn confirmed_in_words(confirmation: &Confirmation) -> String {
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

pub(crate) fn confirmed_as_json(confirmation: Option<&Confirmation>) -> serde_json::Value {
    let names = |nodes: &[tollgate_catalog::NodeId]| -> Vec<String> {
        nodes.iter().map(|node| node.as_str().to_owned()).collect()
    };
    confirmation.map_or(serde_json::Value::Null, |confirmation| {
        serde_json::json!({
            "confirmed": names(&confirmation.confirmed),
            "missing": names(&confirmation.missing),
        })
    })
}
