//! Which catalog a command works on.

use std::{future::Future, path::PathBuf};

use anyhow::{Context as _, bail};
use tollgate_catalog::{Catalog, DatabaseUrl};

/// Where the rules live
#[derive(Debug, clap::Args)]
pub(crate) struct Database {
    /// The rule database: sqlite:PATH or postgres://…; without it the SQLite file in --data
    // A text for now: an address that is wrong may hold a password, and clap would print it.
    #[arg(long, env = "TOLLGATE_DATABASE", value_name = "URL", hide_env_values = true)]
    database: Option<String>,
    /// The folder of the SQLite file
    #[arg(long, env = "TOLLGATE_DATA", value_name = "DIR", default_value = "./tollgate-data")]
    data: PathBuf,
}

/// What the SQLite file in `--data` is called.
const FILE: &str = "tollgate.db";

impl Database {
    /// Named otherwise than by the flags of this struct.
    pub(crate) fn named(database: Option<String>, data: Option<PathBuf>) -> Self {
        let data = data.unwrap_or_else(|| "./tollgate-data".into());
        Self { database, data }
    }

    fn url(&self) -> anyhow::Result<DatabaseUrl> {
        match &self.database {
            Some(url) => Ok(url.parse()?),
            None => Ok(DatabaseUrl::file(self.data.join(FILE))),
        }
    }

    /// Whether there is a file, or a server that will tell.
    pub(crate) fn is_there(&self) -> anyhow::Result<bool> {
        Ok(match self.url()? {
            DatabaseUrl::Sqlite(path) => path.exists(),
            _ => true,
        })
    }

    /// Runs `work` on a catalog that is there: whoever only looks leaves no file behind.
    pub(crate) fn look<T, F>(&self, work: impl FnOnce(Catalog) -> F) -> anyhow::Result<T>
    where
        F: Future<Output = anyhow::Result<T>>,
    {
        if !self.is_there()? {
            bail!(
                "there is no database {}: `tollgate rules apply FILE` makes it, --data or \
                 --database names another",
                self.url()?
            );
        }
        self.with(work)
    }

    /// Runs `work` on the catalog, which is made if it is not there.
    pub(crate) fn with<T, F>(&self, work: impl FnOnce(Catalog) -> F) -> anyhow::Result<T>
    where
        F: Future<Output = anyhow::Result<T>>,
    {
        let url = self.url()?;
        if let DatabaseUrl::Sqlite(path) = &url
            && path.is_dir()
        {
            bail!("cannot use {url}: it is a folder, name a file in it");
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("cannot start the runtime")?;
        runtime.block_on(async {
            let catalog = Catalog::open(&url).await;
            let catalog = catalog.with_context(|| format!("cannot use {url}"))?;
            let done = work(catalog.clone()).await;
            catalog.close().await;
            done
        })
    }
}
