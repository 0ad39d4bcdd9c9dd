//! Files with mistakes and what is said about them; files without, and that nothing is.
// Proves: R11

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use tollgate_rules::document::{self, content_hash, write_yaml};

/// Every error and warning has an example.
const BAD_MIN: usize = 60;
const GOOD_MIN: usize = 10;

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let entries = fs::read_dir(&folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "yaml"));
    files.sort();
    files
}

fn file_name(file: &Path) -> &str {
    file.file_name().unwrap().to_str().unwrap()
}

fn rendered(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    document::read(file_name(file), &text).report.to_string()
}

#[test]
fn every_bad_file_gets_its_message() {
    let files = files("bad");
    let mut wrong = String::new();
    for file in &files {
        let found = rendered(file);
        let expected = fs::read_to_string(file.with_extension("txt"));
        let expected = expected.unwrap_or_else(|_| panic!("{} has no .txt", file.display()));
        assert!(!found.is_empty(), "nothing is wrong with {}", file.display());
        if found != expected {
            let name = file_name(file);
            writeln!(wrong, "=== {name}: expected\n{expected}=== found\n{found}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(files.len() >= BAD_MIN, "only {} bad files", files.len());
}

#[test]
fn every_expected_message_has_its_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    for entry in fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        assert!(file.with_extension("yaml").exists(), "{} is alone", file.display());
    }
}

#[test]
fn good_files_are_read_without_a_word_and_survive_being_written() {
    let files = files("good");
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        let reading = document::read(file_name(file), &text);
        assert!(reading.report.is_clean(), "{}", reading.report);
        let rules = reading.document.unwrap().rules;
        let written = write_yaml(&rules);
        let again = document::read("written", &written);
        assert!(again.report.is_clean(), "{}\n{written}", again.report);
        let again = again.document.unwrap().rules;
        assert_eq!(again, rules, "{written}");
        assert_eq!(content_hash(&again), content_hash(&rules));
        assert_eq!(write_yaml(&again), written, "writing is stable");
    }
    assert!(files.len() >= GOOD_MIN, "only {} good files", files.len());
}

/// Writes what is said now as what is expected. Look at every change as its reader will.
#[test]
#[ignore = "writes the expected messages instead of checking them"]
fn bless() {
    for file in files("bad") {
        fs::write(file.with_extension("txt"), rendered(&file)).unwrap();
    }
}
