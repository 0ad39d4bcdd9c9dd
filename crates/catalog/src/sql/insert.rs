//! Many rows in one statement.

use std::fmt::Write as _;

use super::{Session, Value};
use crate::CatalogError;

/// SQLite takes 32,766 values in a statement, PostgreSQL 65,535.
const VALUES_MAX: usize = 30_000;
/// A statement of this many rows costs little more per row than a longer one.
const ROWS_MAX: usize = 500;

/// Inserts rows of `columns` values each, in as few statements as the databases allow. `conflict` is what
/// follows the rows, such as `ON CONFLICT …`.
pub(crate) async fn insert(
    session: &mut Session,
    into: &str,
    conflict: &str,
    rows: Vec<Vec<Value>>,
) -> Result<(), CatalogError> {
    let columns = rows.first().map_or(1, Vec::len).max(1);
    let rows_max = (VALUES_MAX / columns).clamp(1, ROWS_MAX);
    let mut rows = rows.into_iter();
    loop {
        let values: Vec<Value> = rows.by_ref().take(rows_max).flatten().collect();
        if values.is_empty() {
            return Ok(());
        }
        let places = places(values.len() / columns, columns, session.placeholders());
        let sql = format!("INSERT INTO {into} VALUES {places} {conflict}");
        session.execute(sql, values).await?;
    }
}

/// How the values of a long statement are written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Placeholders {
    /// `$1`
    Numbered,
    /// `?`: SQLite looks each number up among all that came before.
    Plain,
}

/// `($1,$2),($3,$4)`
fn places(rows: usize, columns: usize, placeholders: Placeholders) -> String {
    let mut text = String::new();
    for at in 0..rows * columns {
        text.push_str(match (at, at % columns) {
            (0, _) => "(",
            (_, 0) => "),(",
            _ => ",",
        });
        match placeholders {
            // Writing to a text does not fail.
            Placeholders::Numbered => write!(text, "${}", at + 1).unwrap_or_default(),
            Placeholders::Plain => text.push('?'),
        }
    }
    text.push(')');
    text
}

#[cfg(test)]
mod tests {
    use super::{Placeholders, places};

    #[test]
    fn every_value_has_a_place() {
        assert_eq!(places(2, 3, Placeholders::Numbered), "($1,$2,$3),($4,$5,$6)");
        assert_eq!(places(2, 2, Placeholders::Plain), "(?,?),(?,?)");
        assert_eq!(places(1, 1, Placeholders::Numbered), "($1)");
    }
}
