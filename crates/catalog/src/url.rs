//! Which database.

use std::{fmt, path::PathBuf, str::FromStr};

use crate::CatalogError;

/// Where the catalog is: `sqlite:PATH`, or `postgres://user:password@host:port/database`.
///
/// ```
/// use tollgate_catalog::DatabaseUrl;
///
/// let url: DatabaseUrl = "postgres://gate:secret@db.example:5432/rules".parse()?;
/// assert_eq!(url.to_string(), "postgres://gate:***@db.example:5432/rules");
/// assert!("mysql://db.example/rules".parse::<DatabaseUrl>().is_err());
/// # Ok::<(), tollgate_catalog::CatalogError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DatabaseUrl {
    /// A file.
    Sqlite(PathBuf),
    /// A server; the whole address, password included.
    Postgres(String),
}

impl DatabaseUrl {
    /// The longest address.
    pub const BYTES_MAX: usize = 4_096;

    /// A SQLite file.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::Sqlite(path.into())
    }

    /// Whether this is SQLite, whose rules a file may own.
    pub const fn is_sqlite(&self) -> bool {
        matches!(self, Self::Sqlite(_))
    }
}

impl FromStr for DatabaseUrl {
    type Err = CatalogError;

    fn from_str(text: &str) -> Result<Self, CatalogError> {
        if text.len() > Self::BYTES_MAX {
            return Err(CatalogError::Url("longer than 4,096 bytes".to_owned()));
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        let path = text.strip_prefix("sqlite:").map(|rest| rest.strip_prefix("//").unwrap_or(rest));
        match path {
            Some("" | ":memory:") => {
                let why = "sqlite: needs the path of a file, for example sqlite:rules.db";
                Err(CatalogError::Url(why.to_owned()))
            }
            Some(path) if path.contains('?') => {
                let why = "a sqlite: address takes no options after '?'";
                Err(CatalogError::Url(why.to_owned()))
            }
            Some(path) => Ok(Self::file(path)),
            None => Err(CatalogError::Url(format!(
                "{:?} begins with neither sqlite: nor postgres://",
                scheme(text)
            ))),
        }
    }
}

/// Without its password, which does not belong in a log.
impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(url) => f.write_str(&redacted(url)),
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Options may hold a password, too, so they are left out.
fn redacted(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else {
        return "***".to_owned();
    };
    match rest.rsplit_once('@') {
        Some((who, place)) => match who.split_once(':') {
            Some((user, _)) => format!("{scheme}://{user}:***@{place}"),
            None => url.to_owned(),
        },
        None => url.to_owned(),
    }
}

/// Only what stands before the first colon: the rest may be a secret.
fn scheme(text: &str) -> String {
    text.split(':').next().unwrap_or_default().chars().take(32).collect()
}

#[cfg(test)]
mod tests {
    use super::DatabaseUrl;

    #[test]
    fn an_address_is_a_file_or_a_server() {
        let file: DatabaseUrl = "sqlite://data/rules.db".parse().unwrap();
        assert_eq!(file, DatabaseUrl::file("data/rules.db"));
        assert_eq!("sqlite:/a/b.db".parse::<DatabaseUrl>().unwrap(), DatabaseUrl::file("/a/b.db"));
        for bad in ["", "sqlite:", "sqlite::memory:", "sqlite:a?mode=ro", "redis://x", "rules.db"] {
            assert!(bad.parse::<DatabaseUrl>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn no_password_is_shown() {
        for url in [
            "postgres://u:secret@h/d",
            "postgres://u:se@cret@h/d?password=secret",
            "postgresql://h/d?user=u&password=secret",
        ] {
            let shown = format!("{:?}", url.parse::<DatabaseUrl>().unwrap());
            assert!(!shown.contains("cret"), "{shown}");
        }
        let error = "secret-token".parse::<DatabaseUrl>().unwrap_err();
        assert!(error.to_string().contains("neither sqlite: nor postgres://"), "{error}");
    }
}
