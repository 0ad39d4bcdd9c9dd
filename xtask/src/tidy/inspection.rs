//! Every rule over every file of the repository.

use std::path::Path;

use anyhow::bail;

use super::measures::{Measures, Records};
use super::outline::Outline;
use super::source::{self, Finding};
use super::{edges, lines, modules, requirements};
use crate::task::root;

/// What the rules have to say about the repository.
#[derive(Debug, Default)]
struct Report {
    findings: Vec<Finding>,
    /// Advice that fails nothing.
    notes: Vec<String>,
    measures: Measures,
}

pub(crate) fn check() -> anyhow::Result<()> {
    let report = inspect(&root())?;
    println!("{}", Records::read(&root())?.show(&report.measures));
    for finding in &report.findings {
        println!("{finding}");
    }
    for note in &report.notes {
        println!("note: {note}");
    }
    if !report.findings.is_empty() {
        bail!("tidy has {} findings", report.findings.len());
    }
    println!("tidy: nothing to repair");
    Ok(())
}

/// Lowers the records to what the code has reached.
pub(crate) fn update() -> anyhow::Result<()> {
    Records::read(&root())?.update(&root(), &inspect(&root())?.measures)
}

fn inspect(root: &Path) -> anyhow::Result<Report> {
    let sources = source::read(root)?;
    let rust = sources.iter().filter(|source| source.is_rust());
    let outlines = rust.map(Outline::read).collect::<Result<Vec<_>, _>>()?;
    let reached = modules::reached(&outlines);
    let measures = Measures::of(root, &outlines, &reached)?;
    let (worse, better) = Records::read(root)?.compare(&measures);
    let mut findings = worse;
    findings.extend(sources.iter().flat_map(lines::check));
    findings.extend(modules::check(&outlines, &reached));
    findings.extend(requirements::check(&sources, &outlines, &reached));
    findings.extend(edges::check(&edges::crates()?));
    findings.sort();
    let questions = sources.iter().filter_map(lines::question);
    Ok(Report { findings, notes: questions.chain(better).collect(), measures })
}

#[cfg(test)]
mod tests {
    use super::{inspect, root};

    #[test]
    fn the_repository_is_tidy() {
        let report = inspect(&root()).unwrap();
        let lines: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
        assert!(lines.is_empty(), "{} findings:\n{}", lines.len(), lines.join("\n"));
    }
}
