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
        let places = places(values.len() / columns, columns);
        let sql = format!("INSERT INTO {into} VALUES {places} {conflict}");
        session.execute(sql, values).await?;
    }
}

/// `($1,$2),($3,$4)`
fn places(rows: usize, columns: usize) -> String {
    let mut text = String::new();
    for at in 0..rows * columns {
        let before = match (at, at % columns) {
            (0, _) => "(",
            (_, 0) => "),(",
            _ => ",",
        };
        // Writing to a text does not fail.
        write!(text, "{before}${}", at + 1).unwrap_or_default();
    }
    text.push(')');
    text
}

#[cfg(test)]
mod tests {
    use super::places;

    #[test]
    fn every_value_has_a_place() {
        assert_eq!(places(2, 3), "($1,$2,$3),($4,$5,$6)");
        assert_eq!(places(1, 1), "($1)");
    }
}
