//! Which secret API keys are hashed with: never the secret, only what tells it from another.

use super::{Catalog, EntryBody};
use crate::{
    CatalogError,
    sql::{Session, values},
};

/// The row of the fingerprint.
const NAME: &str = "key_print";

impl Catalog {
    /// From now on whoever puts keys here hashes them with the secret of this fingerprint. Said once.
    pub fn hash_keys_with(&self, print: String) {
        self.key_print.get_or_init(|| print);
    }

    /// The fingerprint of the secret that the keys of this database are hashed with; none before the first key.
    ///
    /// # Errors
    ///
    /// If the database has no answer.
    pub async fn key_print(&self) -> Result<Option<String>, CatalogError> {
        self.database.read(stored).await
    }

    /// Keeps the fingerprint with the first key, and refuses a key that was hashed with another secret: no other node
    /// would know it. One that only changes is not hashed anew: it can be revoked everywhere.
    pub(super) async fn hold_key_print(
        &self,
        session: &mut Session,
        body: &EntryBody,
        former: Option<&EntryBody>,
    ) -> Result<(), CatalogError> {
        let (EntryBody::ApiKey(key), Some(ours)) = (body, self.key_print.get()) else {
            return Ok(());
        };
        if let Some(EntryBody::ApiKey(former)) = former
            && former.digest == key.digest
        {
            return Ok(());
        }
        match stored(session).await? {
            Some(stored) if stored == *ours => Ok(()),
            Some(_) => Err(CatalogError::OtherKeySecret),
            None => {
                let sql = "INSERT INTO settings (name, value) VALUES ($1, $2)";
                session.execute(sql, values![NAME, ours.as_str()]).await?;
                Ok(())
            }
        }
    }
}

async fn stored(session: &mut Session) -> Result<Option<String>, CatalogError> {
    let sql = "SELECT value FROM settings WHERE name = $1";
    let row = session.row(sql, values![NAME]).await?;
    row.map(|row| row.text(0).map(str::to_owned)).transpose()
}
