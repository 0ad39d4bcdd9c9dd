//! Nothing in this crate changes or deletes what is on record.
// Proves: O2

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Every source file and migration.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn no_statement_touches_a_row_of_the_audit() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    files(&home.join("src"), &mut found);
    files(&home.join("migrations"), &mut found);
    assert!(found.len() > 50, "the files are there");
    let mut adds = 0;
    for path in found {
        // On one line, whatever the wrapping.
        let text = fs::read_to_string(&path).unwrap().replace('\\', " ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let lower = text.to_lowercase();
        for word in [
            "update audit ",
            "delete from audit",
            "truncate audit",
            "truncate table audit",
            "drop table audit",
            "alter table audit",
            "drop trigger",
            "replace into audit",
        ] {
            assert!(!lower.contains(word), "{}: {word}", path.display());
        }
        adds += usize::from(lower.contains("\"audit (id, at, actor"));
    }
    assert_eq!(adds, 1, "one place adds rows");
}
