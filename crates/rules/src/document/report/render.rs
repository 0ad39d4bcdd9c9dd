//! How a report reads.

use std::fmt;

use super::{
    problem::{Place, Problem, Report},
    width::{shown, width},
};

/// Each problem with its line, its text underlined, and what to do.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in &self.problems {
            problem.render(&self.source, f)?;
            f.write_str("\n")?;
        }
        let all = self.errors.saturating_add(self.warnings);
        let more = all.saturating_sub(self.problems.len());
        if more > 0 {
            writeln!(f, "... and {more} more, which are not shown\n")?;
        }
        match (self.errors, self.warnings) {
            (0, 0) => Ok(()),
            (0, warnings) => writeln!(f, "{}", counted(warnings, "warning")),
            (errors, 0) => writeln!(f, "{}", counted(errors, "error")),
            (errors, warnings) => {
                let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
                writeln!(f, "{errors}, {warnings}")
            }
        }
    }
}

fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

impl Problem {
    fn render(&self, source: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { line, column, .. } = self.place;
        let related = self.related.as_ref();
        let largest = related.map_or(line, |(place, _)| place.line.max(line));
        let gutter = largest.to_string().len();
        writeln!(f, "{}: {}", self.severity, self.message)?;
        writeln!(f, "{:gutter$}--> {source}:{line}:{column}", "")?;
        let help = self.help.as_deref().unwrap_or_default();
        let own = (&self.place, '^', help);
        let other = related.map(|(place, how)| (place, '-', how.as_str()));
        let mut marked: Vec<(&Place, char, &str)> = other.into_iter().chain([own]).collect();
        marked.sort_by_key(|(place, ..)| (place.line, place.column));
        for (place, mark, words) in marked {
            writeln!(f, "{:gutter$} |", "")?;
            place.render(gutter, mark, words, f)?;
        }
        match &self.note {
            Some(note) => writeln!(f, "{:gutter$} = {note}", ""),
            None => Ok(()),
        }
    }
}

impl Place {
    fn render(
        &self,
        gutter: usize,
        mark: char,
        words: &str,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        let text: String = self.excerpt.chars().map(shown).collect();
        let columns = |skip: usize, take: usize| -> usize {
            let letters = self.excerpt.chars().skip(skip).take(take);
            letters.map(width).sum()
        };
        let indent = columns(0, self.offset);
        let marks = columns(self.offset, self.length).max(1);
        let marks = mark.to_string().repeat(marks);
        let before = if self.column > self.offset + 1 {
            "..."
        } else {
            ""
        };
        let indent = indent + before.len();
        let after = if self.is_cut { "..." } else { "" };
        let text = format!("{before}{text}{after}");
        writeln!(f, "{:>gutter$} | {}", self.line, text.trim_end())?;
        let underline = format!("{:gutter$} | {:indent$}{marks} {words}", "", "");
        writeln!(f, "{}", underline.trim_end())
    }
}
