//! Showing the numbers: tables and bars that people read and programs take as JSON.

use std::fmt;

use serde::Serialize;

use crate::{depth::Depth, machine::Machine};

/// Everything one run found out.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    machine: Machine,
    /// The numbers are worth little, and no bar is held against them.
    is_quick: bool,
    tables: Vec<Table>,
    bars: Vec<Bar>,
}

/// What was found out about something.
pub(crate) trait Found {
    fn tables(&self) -> Vec<Table>;

    fn bars(&self) -> Vec<Bar> {
        Vec::new()
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Table {
    title: String,
    columns: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

/// A heading, and what stands below it for a row.
type Column<'a, T> = (&'a str, fn(&T) -> Cell);

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Cell {
    Text(String),
    Count(u64),
    Number(f64),
    /// A number, and how many times as good as the peer's it is.
    Times(f64, f64),
    Absent,
}

/// Something that was promised, and whether this run kept it.
#[derive(Debug, Serialize)]
pub(crate) struct Bar {
    what: String,
    asked: String,
    measured: f64,
    unit: &'static str,
    is_met: bool,
}

impl Report {
    pub(crate) fn new(depth: Depth) -> Self {
        let is_quick = depth == Depth::Quick;
        Self { machine: Machine::look(), is_quick, tables: Vec::new(), bars: Vec::new() }
    }

    pub(crate) fn add(&mut self, found: &impl Found) {
        self.tables.extend(found.tables());
        if !self.is_quick {
            self.bars.extend(found.bars());
        }
    }
}

impl Table {
    /// A row for each of these.
    pub(crate) fn of<'a, T: 'a>(
        title: impl Into<String>,
        rows: impl IntoIterator<Item = &'a T>,
        columns: &[Column<'_, T>],
    ) -> Self {
        let headings = columns.iter().map(|(heading, _)| (*heading).to_owned()).collect();
        let row = |row| columns.iter().map(|(_, cell)| cell(row)).collect();
        Self { title: title.into(), columns: headings, rows: rows.into_iter().map(row).collect() }
    }

    pub(crate) fn new(
        title: impl Into<String>,
        columns: Vec<String>,
        rows: Vec<Vec<Cell>>,
    ) -> Self {
        Self { title: title.into(), columns, rows }
    }

    /// A remark instead of a table.
    pub(crate) fn remark(title: impl Into<String>) -> Self {
        Self::new(title, Vec::new(), Vec::new())
    }
}

impl Bar {
    pub(crate) fn at_least(
        what: impl Into<String>,
        min: f64,
        measured: f64,
        unit: &'static str,
    ) -> Self {
        let asked = format!("≥ {} {unit}", short(min));
        Self { what: what.into(), asked, measured, unit, is_met: measured >= min }
    }

    pub(crate) fn at_most(
        what: impl Into<String>,
        max: f64,
        measured: f64,
        unit: &'static str,
    ) -> Self {
        let asked = format!("≤ {} {unit}", short(max));
        Self { what: what.into(), asked, measured, unit, is_met: measured <= max }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Machine { processor, cores, kernel, compiler, peers, load } = &self.machine;
        writeln!(f, "Machine: {processor}, {cores} cores, Linux {kernel}, {compiler}.")?;
        writeln!(f, "Peers: {peers}. Load when the run began: {load}.\n")?;
        if self.is_quick {
            writeln!(
                f,
                "A quick look: the numbers are worth little, and no bar is held against them.\n"
            )?;
        }
        self.tables.iter().try_for_each(|table| writeln!(f, "{table}"))?;
        if self.bars.is_empty() {
            return Ok(());
        }
        let met = |bar: &Bar| if bar.is_met { "met" } else { "MISSED" };
        let row = |bar: &Bar| {
            let measured = format!("{} {}", short(bar.measured), bar.unit);
            vec![
                bar.what.clone().into(),
                bar.asked.clone().into(),
                measured.into(),
                met(bar).into(),
            ]
        };
        let columns = ["", "asked", "measured", "met"].map(str::to_owned).to_vec();
        write!(f, "{}", Table::new("Bars", columns, self.bars.iter().map(row).collect()))
    }
}

/// A Markdown table with straight columns. The first column is text, the others are numbers.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.title)?;
        let rows: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect();
        let width = |column: usize| {
            let cells = rows.iter().chain([&self.columns]).filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or_default().max(3)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let rule = widths.iter().map(|width| "-".repeat(*width)).collect();
        for (number, row) in [&self.columns, &rule].into_iter().chain(&rows).enumerate() {
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                match (number, column) {
                    (1, 0) => write!(f, "|{cell}--|")?,
                    (1, _) => write!(f, "{cell}-:|")?,
                    (_, 0) => write!(f, "| {cell:<width$} |")?,
                    _ => write!(f, " {cell:>width$} |")?,
                }
            }
            if !row.is_empty() {
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Count(count) => write!(f, "{count}"),
            Self::Number(number) => f.write_str(&short(*number)),
            Self::Times(number, times) => write!(f, "{} · {}×", short(*number), short(*times)),
            Self::Absent => f.write_str("–"),
        }
    }
}

macro_rules! cells {
    ($($from:ty => $cell:expr;)*) => {$(
        impl From<$from> for Cell {
            fn from(value: $from) -> Self {
                ($cell)(value)
            }
        }
    )*};
}

cells! {
    &str => |text: &str| Self::Text(text.to_owned());
    String => Self::Text;
    u64 => Self::Count;
    usize => |count: usize| Self::Count(count as u64);
    f64 => Self::Number;
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Into::into)
    }
}

/// Three digits that mean something.
pub(crate) fn short(number: f64) -> String {
    match number {
        _ if number < 10.0 => format!("{number:.2}"),
        _ if number < 100.0 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

pub(crate) fn keys(keys: usize) -> String {
    match keys {
        1 => "1 key".to_owned(),
        _ if keys.is_multiple_of(1_000_000) => format!("{} M", keys / 1_000_000),
        _ if keys.is_multiple_of(1_000) => format!("{} k", keys / 1_000),
        _ => keys.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Bar, Cell, Report, Table, keys, short};
    use crate::depth::Depth;

    #[test]
    fn three_digits_thousands_and_millions() {
        assert_eq!([1.234, 12.34, 123.4].map(short), ["1.23", "12.3", "123"]);
        assert_eq!([1, 500, 100_000, 10_000_000].map(keys), ["1 key", "500", "100 k", "10 M"]);
    }

    #[test]
    fn a_table_is_straight_for_people_and_numbers_for_programs() {
        let table = Table::of(
            "Times",
            &[("a×b", 1_234.5)],
            &[("who", |it| it.0.into()), ("ns", |it| it.1.into())],
        );
        assert_eq!(table.to_string(), "Times\n\n| who |   ns |\n|-----|-----:|\n| a×b | 1234 |\n");
        let json = serde_json::to_value(&table).unwrap();
        assert_eq!(json["rows"][0], serde_json::json!(["a×b", 1_234.5]));
        assert_eq!(Table::remark("Not measured.").to_string(), "Not measured.\n\n");
        assert_eq!(Cell::Times(12.34, 2.0).to_string(), "12.3 · 2.00×");
    }

    #[test]
    fn bars_are_held_against_a_full_run_only() {
        struct Slow;
        impl super::Found for Slow {
            fn tables(&self) -> Vec<Table> {
                Vec::new()
            }
            fn bars(&self) -> Vec<Bar> {
                vec![
                    Bar::at_most("a call", 1.0, 2.0, "µs"),
                    Bar::at_least("a rate", 1.0, 1.0, "M/s"),
                ]
            }
        }
        let mut quick = Report::new(Depth::Quick);
        quick.add(&Slow);
        assert!(quick.bars.is_empty());
        let mut full = Report::new(Depth::Full);
        full.add(&Slow);
        assert_eq!(full.bars.iter().map(|bar| bar.is_met).collect::<Vec<_>>(), [false, true]);
    }
}
