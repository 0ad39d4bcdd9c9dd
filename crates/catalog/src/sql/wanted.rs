//! Conditions of a query that is put together.

use super::Value;

/// Conditions with their values.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    conditions: Vec<String>,
    values: Vec<Value>,
}

impl Wanted {
    /// The place of a value.
    pub(crate) fn bind(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        format!("${}", self.values.len())
    }

    /// The places of several, with commas between them.
    pub(crate) fn bind_all<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) -> String {
        let places: Vec<String> = texts.into_iter().map(|text| self.bind(text)).collect();
        places.join(",")
    }

    /// Only what fulfils this, too.
    pub(crate) fn only(&mut self, condition: String) {
        self.conditions.push(condition);
    }

    /// Only where a column has this value, if one is given.
    pub(crate) fn equal(&mut self, column: &str, value: Option<&str>) {
        if let Some(value) = value {
            let place = self.bind(value);
            self.only(format!("{column} = {place}"));
        }
    }

    /// The query with its conditions and what comes after them, and the values.
    pub(crate) fn query(self, select: &str, end: &str) -> (String, Vec<Value>) {
        let conditions = self.conditions.join(" AND ");
        let sql = if conditions.is_empty() {
            format!("{select} {end}")
        } else {
            format!("{select} WHERE {conditions} {end}")
        };
        (sql, self.values)
    }
}
