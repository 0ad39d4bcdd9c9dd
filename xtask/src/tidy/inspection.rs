//! Every rule over every file of the repository.

use std::path::Path;

use anyhow::bail;

use super::finding::Finding;
use super::source::{RustFile, Source, rust_files};
use super::workspace::Workspace;
use super::{
    edges, formats, leaks, leftovers, lengths, lua, markdown, module_docs, orphans, ratchet,
    requirements, source, supply,
};
use crate::task::root;

/// What the rules have to say about the repository.
#[derive(Debug, Default)]
struct Report {
    findings: Vec<Finding>,
    /// Advice that fails nothing.
    notes: Vec<String>,
}

pub(crate) fn check() -> anyhow::Result<()> {
    let report = inspect(&root())?;
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

/// Lowers the ratchet's records to what the code has reached.
pub(crate) fn update() -> anyhow::Result<()> {
    let sources = source::read(&root())?;
    ratchet::update(&root(), &lengths::measure(&rust_files(&sources)))
}

fn inspect(root: &Path) -> anyhow::Result<Report> {
    let sources = source::read(root)?;
    let rust = rust_files(&sources);
    let workspace = Workspace::read(root)?;
    let mut report = Report::default();
    report.findings.extend(sources.iter().flat_map(one_file));
    report.findings.extend(rust.iter().flat_map(one_rust_file));
    report.findings.extend(orphans::check(&rust));
    report.findings.extend(requirements::check(&sources, &rust));
    report.findings.extend(edges::check(&workspace.crates));
    report.findings.extend(supply::check(
        &supply::Policy::read(root)?,
        &workspace.dependencies,
    ));
    let (raised, lowered) = ratchet::compare(&ratchet::read(root)?, &lengths::measure(&rust));
    report.findings.extend(raised);
    report.notes.extend(lowered);
    report.findings.sort();
    Ok(report)
}

fn one_file(source: &Source) -> Vec<Finding> {
    let rules = [
        leaks::check,
        leftovers::check_text,
        markdown::check,
        lua::check,
    ];
    rules.iter().flat_map(|rule| rule(source)).collect()
}

fn one_rust_file(file: &RustFile) -> Vec<Finding> {
    let rules = [
        leftovers::check_rust,
        lengths::check,
        module_docs::check,
        formats::check,
    ];
    rules.iter().flat_map(|rule| rule(file)).collect()
}

#[cfg(test)]
mod tests {
    use super::{inspect, root};

    #[test]
    fn the_repository_is_tidy() {
        let report = inspect(&root()).unwrap();
        let lines: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
        assert!(
            lines.is_empty(),
            "{} findings:\n{}",
            lines.len(),
            lines.join("\n")
        );
    }
}
