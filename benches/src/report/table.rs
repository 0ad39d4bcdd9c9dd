//! Markdown tables with straight columns.

use std::fmt;

#[derive(Debug)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(head: impl IntoIterator<Item = String>) -> Self {
        Self {
            rows: vec![head.into_iter().collect()],
        }
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
                .max(3)
        };
        (0..columns).map(width).collect()
    }
}

/// The first column is text, the others are numbers.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        for (number, row) in self.rows.iter().enumerate() {
            for (column, width) in widths.iter().enumerate() {
                let cell = row.get(column).map_or("", String::as_str);
                match column {
                    0 => write!(f, "| {cell:<width$} |")?,
                    _ => write!(f, " {cell:>width$} |")?,
                }
            }
            writeln!(f)?;
            if number == 0 {
                for (column, width) in widths.iter().enumerate() {
                    let dashes = "-".repeat(*width);
                    match column {
                        0 => write!(f, "|{dashes}--|")?,
                        _ => write!(f, "{dashes}-:|")?,
                    }
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn columns_are_straight() {
        let mut table = Table::new(["who".to_owned(), "ns".to_owned()]);
        table.row(["a×b".to_owned(), "1234".to_owned()]);
        assert_eq!(
            table.to_string(),
            "| who |   ns |\n|-----|-----:|\n| a×b | 1234 |\n"
        );
    }
}
