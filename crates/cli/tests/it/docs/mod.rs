//! The manual's rules files are read, and what it says of commands and settings is so.
// Proves: R11

pub(crate) mod block;
mod commands;
mod settings;

use std::{
    fs,
    path::{Path, PathBuf},
};

use block::blocks;

fn top() -> PathBuf {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_folder.ancestors().nth(2).unwrap().to_owned()
}

/// Every page of the manual, and the README.
pub(crate) fn pages() -> Vec<(String, String)> {
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

/// What is shown in a language that the tests speak is a program that some command of the page runs.
#[test]
fn every_program_in_the_manual_is_run() {
    let mut programs = 0;
    for (page, text) in pages() {
        let all = blocks(&text);
        let runs = |program: &str, name: &str| {
            let commands = all.iter().filter(|block| block.language == "console");
            let mut commands = commands.flat_map(|block| block.commands());
            let run = format!("{program} {name} ");
            commands.any(|(command, _)| format!("{command} ").starts_with(&run))
        };
        for block in &all {
            let program = match block.language {
                "python" => "python3",
                "js" => "node",
                "go" => "go run",
                _ => continue,
            };
            let name = block.file_name().unwrap_or("a file with a name");
            assert!(runs(program, name), "{page}, line {}: {name}", block.line);
            programs += 1;
        }
    }
    assert!(programs >= 3, "only {programs} programs are run");
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
                let rules =
                    tollgate_rules::document::read(&source, &block.text).document.unwrap().rules;
                assert_eq!(tollgate::run_trial(&rules, &trial), Ok(()), "{source}: {}", trial.name);
            }
            read += 1;
        }
    }
    assert!(read > 5, "only {read} files were read");
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
        ("tests: [{ name: a, steps: [{ request: { x: 1 } }] }]", "a request"),
    ] {
        let reading = tollgate_rules::document::read("x", &format!("version: 1\n{wrong}\n"));
        let start = format!("{what} may have: ");
        let notes = reading.report.problems.iter().filter_map(|problem| problem.note.as_deref());
        let allowed = notes.filter_map(|note| note.strip_prefix(&start)).next();
        let allowed = allowed.unwrap_or_else(|| panic!("{what}: {}", reading.report));
        for field in allowed.split(", ") {
            assert!(page.contains(&format!("| `{field}` |")), "{what} may have {field}");
        }
    }
}
