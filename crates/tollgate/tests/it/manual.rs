//! The manual and the examples: what they say is run, and what they point at exists.
// Proves: L3

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("a crate lives two folders below the top")
        .to_owned()
}

/// Every file below `folder` with this ending.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|it| it == ending) {
            found.push(path);
        }
    }
    found
}

/// The manual, and the pages at the top.
fn pages() -> Vec<PathBuf> {
    let mut pages = files(&root().join("docs"), "md");
    for name in ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"] {
        pages.push(root().join(name));
    }
    pages
}

/// A page with Rust in it that no test runs would soon be wrong.
#[test]
fn every_page_with_rust_is_run() {
    let run = ["tollgate", "client", "tower"].map(|name| {
        let pages = root().join(format!("crates/{name}/src/pages.rs"));
        fs::read_to_string(pages).unwrap()
    });
    let run = run.concat();
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let path = page.strip_prefix(root()).unwrap().to_str().unwrap();
        let has_rust = text.lines().any(|line| line.trim() == "```rust");
        assert_eq!(run.contains(&format!("\"{path}\"")), has_rust, "{path}");
        let fences = text.lines().filter(|line| line.trim() == "```").count();
        let opened = text.lines().filter(|line| line.starts_with("```") && line.len() > 3);
        assert_eq!(opened.count(), fences, "{path}: a fence says its language");
    }
}

#[test]
fn every_link_leads_somewhere() {
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1) {
            let (target, _) = link.split_once(')').expect("a link ends");
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let file = match file {
                "" => page.clone(),
                file => page.parent().unwrap().join(file),
            };
            let has_heading = || {
                let text = fs::read_to_string(&file).unwrap_or_default();
                let mut headings = text.lines().filter(|line| line.starts_with('#'));
                headings.any(|line| anchor(line) == heading)
            };
            let leads = file.exists() && (heading.is_empty() || has_heading());
            assert!(leads, "{} links to {target}", page.display());
        }
    }
}

/// What a heading is called in a link.
fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept =
        words.chars().filter(|sign| sign.is_alphanumeric() || matches!(sign, ' ' | '-' | '_'));
    kept.map(|sign| if sign == ' ' { '-' } else { sign }).collect()
}

#[test]
fn every_page_is_in_the_index() {
    let docs = root().join("docs");
    let index = fs::read_to_string(docs.join("README.md")).unwrap();
    for page in files(&docs, "md") {
        let path = page.strip_prefix(&docs).unwrap().to_str().unwrap();
        assert!(path == "README.md" || index.contains(&format!("({path})")), "{path}");
    }
}

/// The page on accuracy names tests as proof: they are there.
#[test]
fn every_test_that_is_named_as_proof_exists() {
    let page = fs::read_to_string(root().join("docs/explanation/accuracy.md")).unwrap();
    let names: BTreeSet<&str> = page
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| name.matches('_').count() >= 3 && !name.contains('/'))
        .collect();
    assert!(names.len() > 20, "{names:?}");
    let sources: Vec<String> = files(&root().join("crates"), "rs")
        .iter()
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    for name in names {
        let is_there = |text: &String| {
            ["(", "<"].iter().any(|after| text.contains(&format!("fn {name}{after}")))
        };
        assert!(sources.iter().any(is_there), "no test `{name}`");
    }
}

/// Public types and functions of the facade that have no example of their own; that of a type shows its methods.
#[test]
fn every_public_type_has_an_example() {
    let mut missing = Vec::new();
    for file in files(&root().join("crates/tollgate/src"), "rs") {
        let text = fs::read_to_string(&file).unwrap();
        let mut has_example = false;
        for line in text.lines() {
            if line.starts_with("///") {
                has_example |= line.contains("```");
            } else if line.starts_with("#[") {
                // Attributes stand between the words and the item.
            } else {
                let is_item = ["fn ", "const fn ", "async fn ", "struct ", "trait ", "enum "]
                    .iter()
                    .any(|kind| line.starts_with(&format!("pub {kind}")));
                if is_item && !has_example {
                    missing.push(format!("{}: {line}", file.display()));
                }
                has_example = false;
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
