//! A look at a database, for whoever wants to know whether it could be used.

use tollgate_core::Timestamp;

use super::{Catalog, migrate};
use crate::CatalogError;

/// What a database turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Look {
    /// The schema of its tables; none if there are no tables yet.
    pub schema: Option<i64>,
    /// The schema that this release makes of it.
    pub ours: i64,
    /// The time by its clock.
    pub now: Timestamp,
}

impl Catalog {
    /// Looks at the database, and changes nothing: tables that are missing or old stay so.
    ///
    /// # Errors
    ///
    /// As for [`Catalog::open`].
    pub async fn look(&self) -> Result<Look, CatalogError> {
        let has_schema = self.database.has_schema();
        let look = self.database.read(async |session| {
            let schema = migrate::schema(session, has_schema).await?;
            Ok((schema, session.now().await?))
        });
        let (schema, now) = look.await?;
        if let Some(schema) = schema {
            migrate::is_readable(schema)?;
        }
        let schema = schema.map(|schema| schema.version);
        Ok(Look {
            schema: schema.filter(|version| *version > 0),
            ours: migrate::OURS,
            now: Timestamp::from_micros(u64::try_from(now).unwrap_or_default()),
        })
    }
}
