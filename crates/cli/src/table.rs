//! Lines whose columns stand below each other.

use crate::escape;

/// A line for each row, each column as wide as its widest cell. No cell can steer the terminal.
pub(crate) fn lines(rows: &[Vec<String>]) -> String {
    let escaped = |row: &Vec<String>| -> Vec<String> {
        { row.iter() }.map(|cell| escape::cell(cell).into_owned()).collect()
    };
    let rows: Vec<Vec<String>> = rows.iter().map(escaped).collect();
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns)
        .map(|at| {
            let cells = rows.iter().filter_map(|row| row.get(at));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths);
        let cells: Vec<String> = cells.map(|(cell, width)| format!("{cell:width$}")).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}
