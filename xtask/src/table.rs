//! Plain text tables for the terminal.

/// Columns as wide as their widest cell; the last one is not padded.
pub(crate) fn render(header: &[&str], rows: &[Vec<String>]) -> String {
    let header: Vec<String> = header.iter().map(|&cell| cell.to_owned()).collect();
    let widths: Vec<usize> = (0..header.len())
        .map(|column| std::iter::once(&header).chain(rows).map(|row| width(row, column)).max())
        .map(Option::unwrap_or_default)
        .collect();
    let rule = widths.iter().map(|&width| "-".repeat(width)).collect();
    [&header, &rule].into_iter().chain(rows).map(|row| line(row, &widths)).collect()
}

fn width(row: &[String], column: usize) -> usize {
    row.get(column).map_or(0, |cell| cell.chars().count())
}

fn line(row: &[String], widths: &[usize]) -> String {
    let cells: Vec<String> =
        row.iter().zip(widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
    format!("{}\n", cells.join("  ").trim_end())
}

#[cfg(test)]
mod tests {
    use super::render;

    #[test]
    fn columns_line_up() {
        let rows = [vec!["tidy".to_owned(), "ok".to_owned()]];
        assert_eq!(render(&["step", "result"], &rows), "step  result\n----  ------\ntidy  ok\n");
    }

    #[test]
    fn a_table_without_rows_is_its_header() {
        assert_eq!(render(&["name"], &[]), "name\n----\n");
    }
}
