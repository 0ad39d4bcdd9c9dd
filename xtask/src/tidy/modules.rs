//! Which files the modules of our crates lead to: those of tests, and those that nothing leads to.

use std::collections::BTreeMap;

use super::outline::Outline;
use super::source::Finding;

/// The test kit holds the bodies of tests that others run.
const TESTKIT: &str = "crates/testkit/";

/// Every file that is compiled, with whether it is so for tests only.
pub(crate) type Reached = BTreeMap<String, bool>;

pub(crate) fn check(outlines: &[Outline], reached: &Reached) -> Vec<Finding> {
    let is_module = |path: &str| path.contains("/src/") || path.contains("/tests/");
    let orphans =
        outlines.iter().filter(|file| is_module(&file.path) && !reached.contains_key(&file.path));
    let message = "no `mod` declares this file, so it is never compiled: declare or delete it";
    orphans
        .map(|file| Finding { path: file.path.clone(), line: 1, message: message.to_owned() })
        .collect()
}

pub(crate) fn reached(outlines: &[Outline]) -> Reached {
    let by_path: BTreeMap<&str, &Outline> =
        outlines.iter().map(|file| (&*file.path, file)).collect();
    let roots = outlines.iter().filter(|file| is_root(&file.path));
    let mut waiting: Vec<(String, bool)> =
        roots.map(|file| (file.path.clone(), is_test_root(&file.path))).collect();
    let mut reached = Reached::new();
    while let Some((path, is_test)) = waiting.pop() {
        let Some(file) = by_path.get(&*path) else {
            continue;
        };
        // Seen before, and not for fewer reasons than now: nothing new below it.
        if reached.get(&path).is_some_and(|&known| !known || is_test) {
            continue;
        }
        let home = home(&path);
        for module in &file.modules {
            let is_test = is_test || module.is_test;
            let named = module.file.iter().map(|name| join(parent(&path), name));
            let usual =
                [format!("{home}/{}.rs", module.name), format!("{home}/{}/mod.rs", module.name)];
            waiting.extend(named.chain(usual).map(|path| (path, is_test)));
        }
        reached.insert(path, is_test);
    }
    reached
}

/// The files cargo starts from, by its conventions.
fn is_root(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        [.., "src", "lib.rs" | "main.rs"] | [.., "build.rs"] | [.., "src", "bin", _] => true,
        [.., "tests" | "examples" | "benches" | "fuzz_targets", _]
        | [.., "tests" | "examples" | "benches", _, "main.rs"] => !parts.contains(&"src"),
        _ => false,
    }
}

fn is_test_root(path: &str) -> bool {
    path.contains("/tests/") || path.contains("/examples/") || path.starts_with(TESTKIT)
}

/// The folder of a file's modules.
fn home(path: &str) -> &str {
    let is_top = is_root(path) || path.ends_with("/mod.rs");
    if is_top { parent(path) } else { path.trim_end_matches(".rs") }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Joins and resolves `..`.
fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in path.split('/') {
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
    use super::{Outline, check, reached};
    use crate::tidy::source::Source;

    fn outlines(files: &[(&str, &str)]) -> Vec<Outline> {
        files.iter().map(|(path, text)| Outline::read(&Source::new(path, text)).unwrap()).collect()
    }

    fn orphans(tree: &[(&str, &str)]) -> Vec<String> {
        let outlines = outlines(tree);
        check(&outlines, &reached(&outlines)).into_iter().map(|finding| finding.path).collect()
    }

    #[test]
    fn declared_files_are_reached() {
        let tree = [
            ("crates/core/src/lib.rs", "mod limit;\nmod algorithm;\nmod inline { mod deep; }"),
            ("crates/core/src/limit.rs", "mod text;\n"),
            ("crates/core/src/limit/text.rs", ""),
            ("crates/core/src/algorithm/mod.rs", "pub mod token_bucket;\n"),
            ("crates/core/src/algorithm/token_bucket.rs", ""),
            ("crates/core/src/inline/deep.rs", ""),
            (
                "crates/core/tests/it/main.rs",
                "mod common;\n#[path = \"../../src/slot.rs\"]\nmod slot;\n",
            ),
            ("crates/core/tests/it/common/mod.rs", ""),
            ("crates/core/src/slot.rs", ""),
        ];
        assert_eq!(orphans(&tree), [""; 0]);
    }

    #[test]
    fn a_file_that_is_not_declared_is_a_finding() {
        let tree = [
            ("crates/core/src/lib.rs", "// mod old;\n"),
            ("crates/core/src/old.rs", "mod older;\n"),
            ("crates/core/src/old/older.rs", ""),
        ];
        assert_eq!(orphans(&tree), ["crates/core/src/old.rs", "crates/core/src/old/older.rs"]);
    }

    #[test]
    fn what_only_tests_reach_is_known() {
        let tree = [
            ("a/src/lib.rs", "mod limit;\n#[cfg(test)]\nmod laws;\n"),
            ("a/src/limit.rs", ""),
            ("a/src/laws.rs", "mod deep;\n"),
            ("a/src/laws/deep.rs", ""),
            ("a/tests/story.rs", ""),
        ];
        let reached = reached(&outlines(&tree));
        assert!(!reached["a/src/limit.rs"]);
        assert!(
            reached["a/src/laws.rs"]
                && reached["a/src/laws/deep.rs"]
                && reached["a/tests/story.rs"]
        );
    }
}
