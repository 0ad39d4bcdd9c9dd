//! What a query returns.

use sqlx::{ColumnIndex, Decode, Type};
use tollgate_core::Timestamp;

use super::Value;
use crate::CatalogError;

/// One row, read by position: a column that a later release adds is not in the way.
#[derive(Debug)]
pub(crate) struct Row {
    cells: Vec<Value>,
}

impl Row {
    /// Every column is a whole number or a text; anything else was not put there by us.
    pub(super) fn read<'r, R>(row: &'r R) -> Result<Self, sqlx::Error>
    where
        R: sqlx::Row,
        usize: ColumnIndex<R>,
        Option<i64>: Decode<'r, R::Database> + Type<R::Database>,
        Option<String>: Decode<'r, R::Database> + Type<R::Database>,
    {
        let cell = |at: usize| match row.try_get::<Option<i64>, usize>(at) {
            Ok(number) => Ok(Value::Int(number)),
            Err(_) => row.try_get::<Option<String>, usize>(at).map(Value::Text),
        };
        let cells = (0..row.len()).map(cell).collect::<Result<_, _>>()?;
        Ok(Self { cells })
    }

    pub(crate) fn int(&self, at: usize) -> Result<i64, CatalogError> {
        self.maybe_int(at)?.ok_or_else(|| misread(at, "a number"))
    }

    pub(crate) fn maybe_int(&self, at: usize) -> Result<Option<i64>, CatalogError> {
        match self.cells.get(at) {
            Some(Value::Int(number)) => Ok(*number),
            // A null is read as a number first, whatever its column is.
            Some(Value::Text(None)) => Ok(None),
            _ => Err(misread(at, "a number")),
        }
    }

    pub(crate) fn text(&self, at: usize) -> Result<&str, CatalogError> {
        self.maybe_text(at)?.ok_or_else(|| misread(at, "a text"))
    }

    pub(crate) fn maybe_text(&self, at: usize) -> Result<Option<&str>, CatalogError> {
        match self.cells.get(at) {
            Some(Value::Text(text)) => Ok(text.as_deref()),
            Some(Value::Int(None)) => Ok(None),
            _ => Err(misread(at, "a text")),
        }
    }

    pub(crate) fn moment(&self, at: usize) -> Result<Timestamp, CatalogError> {
        let moment = self.maybe_moment(at)?;
        moment.ok_or_else(|| misread(at, "a moment"))
    }

    pub(crate) fn maybe_moment(&self, at: usize) -> Result<Option<Timestamp>, CatalogError> {
        let micros = self.maybe_int(at)?.map(u64::try_from).transpose();
        let micros = micros.map_err(|_| misread(at, "a moment"))?;
        Ok(micros.map(Timestamp::from_micros))
    }
}

fn misread(at: usize, wanted: &str) -> CatalogError {
    CatalogError::Corrupt(format!("column {at} of a row is not {wanted}"))
}
