//! Files that no module declares: they look alive and are never compiled.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::Finding;
use super::modules::{Declaration, outline};
use super::source::RustFile;

/// Every file the compiler reaches, with whether it does so for tests only.
pub(crate) type Reached = BTreeMap<String, bool>;

pub(crate) fn check(files: &[RustFile]) -> Vec<Finding> {
    let reached = reached(files);
    let is_module = |path: &str| has_folder(path, "src") || has_folder(path, "tests");
    files
        .iter()
        .filter(|file| is_module(&file.path) && !reached.contains_key(&file.path))
        .map(|file| {
            let message =
                "no `mod` declares this file, so it is never compiled: declare or delete it";
            Finding::new(&file.path, 1, message)
        })
        .collect()
}

pub(crate) fn reached(files: &[RustFile]) -> Reached {
    let by_path: BTreeMap<&str, &RustFile> = files
        .iter()
        .map(|file| (file.path.as_str(), file))
        .collect();
    let mut reached = Reached::new();
    let mut waiting: Vec<Visit> = files
        .iter()
        .filter(|file| is_root(&file.path))
        .map(|file| Visit::root(&file.path))
        .collect();
    while let Some(visit) = waiting.pop() {
        let Some(file) = by_path.get(visit.path.as_str()) else {
            continue;
        };
        // Seen before, and not for fewer reasons than now: nothing new below it.
        if reached
            .get(&visit.path)
            .is_some_and(|&test_only| !test_only || visit.test_only)
        {
            continue;
        }
        reached.insert(visit.path.clone(), visit.test_only);
        for declaration in outline(file).declarations {
            waiting.extend(visit.children(&declaration));
        }
    }
    reached
}

/// A file on the way down the module tree.
#[derive(Debug)]
struct Visit {
    path: String,
    /// Where its modules live.
    folder: String,
    test_only: bool,
}

impl Visit {
    fn root(path: &str) -> Self {
        // The test kit holds the bodies of tests that others run.
        let test_only = has_folder(path, "tests")
            || path.starts_with("e2e/")
            || path.starts_with("crates/testkit/");
        Self {
            path: path.to_owned(),
            folder: parent(path).to_owned(),
            test_only,
        }
    }

    fn children(&self, declaration: &Declaration) -> Vec<Self> {
        let test_only = self.test_only || declaration.test_only;
        let inside = declaration
            .inside
            .iter()
            .fold(self.folder.clone(), |folder, room| join(&folder, room));
        let home = join(&inside, &declaration.name);
        let mut children = vec![
            Self {
                path: format!("{home}.rs"),
                folder: home.clone(),
                test_only,
            },
            Self {
                path: format!("{home}/mod.rs"),
                folder: home,
                test_only,
            },
        ];
        // A `path` counts from the file's own folder, or from that of the inline module around it.
        let base = if declaration.inside.is_empty() {
            parent(&self.path).to_owned()
        } else {
            inside
        };
        for path in &declaration.paths {
            let path = join(&base, path);
            children.push(Self {
                folder: parent(&path).to_owned(),
                path,
                test_only,
            });
        }
        children
    }
}

/// The files cargo starts from, by its conventions.
fn is_root(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        [.., "src", "lib.rs" | "main.rs"] | [.., "build.rs"] => true,
        [.., "src", "bin", file] | [.., "src", "bin", file, "main.rs"] => !file.is_empty(),
        [.., "tests" | "examples" | "benches" | "fuzz_targets", _] if !has_folder(path, "src") => {
            true
        }
        [.., "tests" | "examples" | "benches", _, "main.rs"] if !has_folder(path, "src") => true,
        _ => false,
    }
}

fn has_folder(path: &str, folder: &str) -> bool {
    let folders: BTreeSet<&str> = parent(path).split('/').collect();
    folders.contains(folder)
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Joins and resolves `..`.
fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::{RustFile, check, reached};

    fn files(files: &[(&str, &str)]) -> Vec<RustFile> {
        files
            .iter()
            .map(|(path, text)| RustFile::new(path, text))
            .collect()
    }

    fn orphans(tree: &[(&str, &str)]) -> Vec<String> {
        check(&files(tree))
            .into_iter()
            .map(|finding| finding.path)
            .collect()
    }

    #[test]
    fn declared_files_are_reached_through_rooms() {
        let tree = [
            ("crates/core/src/lib.rs", "mod limit;\nmod algorithm;\n"),
            ("crates/core/src/limit.rs", "mod text;\n"),
            ("crates/core/src/limit/text.rs", ""),
            (
                "crates/core/src/algorithm/mod.rs",
                "pub mod token_bucket;\n",
            ),
            ("crates/core/src/algorithm/token_bucket.rs", ""),
            ("crates/core/tests/laws.rs", "mod common;\n"),
            ("crates/core/tests/common/mod.rs", ""),
            ("crates/core/src/bin/tool.rs", ""),
        ];
        assert_eq!(orphans(&tree), [""; 0]);
    }

    #[test]
    fn a_file_nobody_declares_is_a_finding() {
        let tree = [
            ("crates/core/src/lib.rs", "mod limit;\n// mod old;\n"),
            ("crates/core/src/limit.rs", ""),
            ("crates/core/src/old.rs", "mod older;\n"),
            ("crates/core/src/old/older.rs", ""),
        ];
        assert_eq!(
            orphans(&tree),
            ["crates/core/src/old.rs", "crates/core/src/old/older.rs"]
        );
    }

    #[test]
    fn a_path_attribute_is_followed() {
        let tree = [
            (
                "crates/memory/tests/loom.rs",
                "#[path = \"../src/slot.rs\"]\nmod slot;\n",
            ),
            ("crates/memory/src/lib.rs", ""),
            ("crates/memory/src/slot.rs", ""),
        ];
        assert_eq!(orphans(&tree), [""; 0]);
    }

    #[test]
    fn what_only_tests_reach_is_known() {
        let tree = [
            ("src/lib.rs", "mod limit;\n#[cfg(test)]\nmod laws;\n"),
            ("src/limit.rs", ""),
            ("src/laws.rs", "mod deep;\n"),
            ("src/laws/deep.rs", ""),
            ("tests/story.rs", ""),
        ];
        let reached = reached(&files(&tree));
        assert!(!reached["src/limit.rs"]);
        assert!(reached["src/laws.rs"] && reached["src/laws/deep.rs"] && reached["tests/story.rs"]);
    }
}
