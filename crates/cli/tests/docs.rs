//! The manual's rules files are read and its commands are run: what a page shows is what happens.
// Proves: R11

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "to panic is to fail the test"
)]

#[path = "docs/block.rs"]
mod block;
mod common;
#[path = "docs/shell.rs"]
mod shell;

use std::{
    fs,
    path::{Path, PathBuf},
};

use block::blocks;
use shell::Shell;

fn top() -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_folder.ancestors().nth(2).unwrap().to_owned()
}

/// Every page of the manual, and the README.
fn pages() -> Vec<(String, String)> {
    let mut found = vec![top().join("README.md")];
    for room in ["tutorials", "how-to", "reference", "explanation"] {
        let entries = fs::read_dir(top().join("docs").join(room)).unwrap();
        found.extend(entries.map(|entry| entry.unwrap().path()));
    }
    found.sort();
    let page = |path: &PathBuf| {
        let name = path.strip_prefix(top()).unwrap().display().to_string();
        (name, fs::read_to_string(path).unwrap())
    };
    found.iter().map(page).collect()
}

/// Files that carry a name are written, commands are run, in the order of the page.
#[test]
fn what_a_page_shows_is_what_happens() {
    let mut run = 0;
    for (page, text) in pages() {
        let mut shell = Shell::new();
        for block in blocks(&text) {
            match (block.language, block.file_name()) {
                ("yaml", Some(name)) => shell.write(name, &block.text),
                ("console", _) => run += shell.play(&page, &block),
                _ => {}
            }
        }
    }
    assert!(run > 30, "only {run} commands were run");
}

/// A whole rules file in a page is one: no error, and where the page does not speak of it, no warning.
#[test]
fn every_rules_file_in_the_manual_is_sound() {
    let mut read = 0;
    for (page, text) in pages() {
        for block in blocks(&text) {
            let is_whole = block.text.lines().any(|line| line.starts_with("version:"));
            if block.language != "yaml" || !is_whole || block.file_name().is_some() {
                continue;
            }
            let source = format!("{page}, line {}", block.line);
            let reading = tollgate_rules::document::read(&source, &block.text);
            assert!(reading.report.is_clean(), "{}", reading.report);
            for trial in reading.document.unwrap().trials {
                let rules = tollgate_rules::document::read(&source, &block.text)
                    .document
                    .unwrap()
                    .rules;
                assert_eq!(
                    tollgate::run_trial(&rules, &trial),
                    Ok(()),
                    "{source}: {}",
                    trial.name
                );
            }
            read += 1;
        }
    }
    assert!(read > 5, "only {read} files were read");
}

fn help(words: &[&str]) -> String {
    let desk = common::Desk::new();
    let mut words = words.to_vec();
    words.push("--help");
    desk.run(&words).fine().out
}

/// The commands below one, by its help.
fn below(words: &[&str]) -> Vec<String> {
    let help = help(words);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.take_while(|line| !line.is_empty());
    let names = commands.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// The long flags in a text.
fn flags(text: &str) -> Vec<String> {
    let words = text.split(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '-'));
    let flags = words.filter(|word| word.len() > 2 && word.starts_with("--"));
    let mut flags: Vec<String> = flags.map(str::to_owned).collect();
    flags.sort();
    flags.dedup();
    flags
}

/// The reference of the command line has a section for every command, with every flag and no other.
#[test]
fn the_reference_knows_every_command_and_flag() {
    let page = fs::read_to_string(top().join("docs/reference/cli.md")).unwrap();
    let (general, _) = page
        .split_once("\n## tollgate ")
        .expect("a section for each command");
    let mut commands = 0;
    for room in below(&[]) {
        for command in below(&[&room]) {
            let title = format!("\n## tollgate {room} {command}\n");
            let (_, section) = page
                .split_once(&title)
                .unwrap_or_else(|| panic!("no section{title}"));
            let section = section.split("\n## ").next().unwrap();
            let help = help(&[&room, &command]);
            let (_, options) = help.split_once("Options:").unwrap();
            let options = options.split("\n\n").next().unwrap();
            let offered: Vec<String> = options
                .lines()
                .filter_map(|line| {
                    line.trim_start()
                        .strip_prefix("-h, ")
                        .or(Some(line.trim_start()))
                })
                .filter_map(|line| line.split_whitespace().next())
                .filter(|word| word.starts_with("--"))
                .map(str::to_owned)
                .collect();
            assert!(!offered.is_empty(), "{help}");
            for flag in &offered {
                let marked = [format!("`{flag}`"), format!("`{flag} ")];
                let is_there = marked
                    .iter()
                    .any(|flag| section.contains(flag) || general.contains(flag));
                assert!(
                    is_there,
                    "tollgate {room} {command} has {flag}, the page does not say so"
                );
            }
            let table = section.lines().filter(|line| line.starts_with("| `--"));
            for flag in table.flat_map(|line| flags(line.split('|').nth(1).unwrap())) {
                assert!(
                    offered.contains(&flag),
                    "tollgate {room} {command} has no {flag}"
                );
            }
            commands += 1;
        }
    }
    assert_eq!(commands, 12);
}

/// A field that can be written is described.
#[test]
fn the_reference_knows_every_field_of_a_rules_file() {
    let page = fs::read_to_string(top().join("docs/reference/rules-file.md")).unwrap();
    for (wrong, what) in [
        ("x: 1", "a rules file"),
        ("tiers: { a: { x: 1, rank: 1 } }", "a tier"),
        ("rules: [{ x: 1 }]", "a rule"),
        ("rules: [{ name: a, match: { x: 1 } }]", "match"),
        ("rules: [{ name: a, limit: { x: 1 } }]", "a limit"),
        ("rules: [{ name: a, response: { x: 1 } }]", "a response"),
        ("overrides: [{ x: 1 }]", "an override"),
        ("tests: [{ x: 1 }]", "a test"),
        ("tests: [{ name: a, steps: [{ x: 1 }] }]", "a step"),
        (
            "tests: [{ name: a, steps: [{ request: { x: 1 } }] }]",
            "a request",
        ),
    ] {
        let reading = tollgate_rules::document::read("x", &format!("version: 1\n{wrong}\n"));
        let start = format!("{what} may have: ");
        let notes = reading
            .report
            .problems
            .iter()
            .filter_map(|problem| problem.note.as_deref());
        let allowed = notes.filter_map(|note| note.strip_prefix(&start)).next();
        let allowed = allowed.unwrap_or_else(|| panic!("{what}: {}", reading.report));
        for field in allowed.split(", ") {
            assert!(
                page.contains(&format!("| `{field}` |")),
                "{what} may have {field}"
            );
        }
    }
}
