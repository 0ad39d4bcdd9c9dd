//! The worst lengths on record, in `xtask/ratchet.toml`: they may only go down.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};

use super::finding::Finding;
use super::lengths::{FILE_LINES_QUESTION, Measures};

const PATH: &str = "xtask/ratchet.toml";
const HEADER: &str = "\
# The worst there is. These numbers may only go down: `cargo xtask tidy --update` lowers them.

";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Records {
    longest_file: usize,
    longest_function: usize,
    files_over_400: usize,
}

/// One record beside what the code has now.
#[derive(Debug)]
struct Mark {
    name: &'static str,
    record: usize,
    now: usize,
    path: String,
    line: usize,
}

impl Records {
    fn of(now: &Measures) -> Self {
        Self {
            longest_file: now.file.lines,
            longest_function: now.function.lines,
            files_over_400: now.long_files.len(),
        }
    }
}

pub(crate) fn read(root: &Path) -> anyhow::Result<Records> {
    let text = fs::read_to_string(root.join(PATH)).with_context(|| format!("reading {PATH}"))?;
    toml::from_str(&text).with_context(|| format!("in {PATH}"))
}

/// What got worse, as findings, and what got better, as advice.
pub(crate) fn compare(records: &Records, now: &Measures) -> (Vec<Finding>, Vec<String>) {
    let marks = marks(records, now);
    let worse = marks
        .iter()
        .filter(|mark| mark.now > mark.record)
        .map(|mark| {
            let message = format!(
                "{} is {}, the record in {PATH} is {} and may only go down",
                mark.name, mark.now, mark.record
            );
            Finding::new(&mark.path, mark.line, message)
        });
    let better = marks
        .iter()
        .filter(|mark| mark.now < mark.record)
        .map(|mark| {
            format!(
                "{} went down from {} to {}: `cargo xtask tidy --update` records it",
                mark.name, mark.record, mark.now
            )
        });
    (worse.collect(), better.collect())
}

/// Lowers the records, or writes the first ones; never raises any.
pub(crate) fn update(root: &Path, now: &Measures) -> anyhow::Result<()> {
    if root.join(PATH).exists() {
        let (worse, _) = compare(&read(root)?, now);
        if let Some(finding) = worse.first() {
            bail!("{finding}");
        }
    }
    let text = format!("{HEADER}{}", toml::to_string(&Records::of(now))?);
    fs::write(root.join(PATH), &text).with_context(|| format!("writing {PATH}"))?;
    print!("{PATH}:\n{text}");
    Ok(())
}

fn marks(records: &Records, now: &Measures) -> [Mark; 3] {
    [
        Mark {
            name: "the longest file",
            record: records.longest_file,
            now: now.file.lines,
            path: now.file.path.clone(),
            line: now.file.line,
        },
        Mark {
            name: "the longest function",
            record: records.longest_function,
            now: now.function.lines,
            path: now.function.path.clone(),
            line: now.function.line,
        },
        Mark {
            name: "the number of files over 400 lines",
            record: records.files_over_400,
            now: now.long_files.len(),
            path: now.long_files.join(", "),
            line: FILE_LINES_QUESTION,
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::super::lengths::Longest;
    use super::{Measures, PATH, Records, compare, fs, read, update};

    const RECORDS: Records = Records {
        longest_file: 400,
        longest_function: 50,
        files_over_400: 1,
    };

    fn measures(file: usize, function: usize) -> Measures {
        let longest = |lines| Longest {
            lines,
            path: "a.rs".to_owned(),
            line: 7,
        };
        Measures {
            file: longest(file),
            function: longest(function),
            long_files: vec!["a.rs".to_owned()],
        }
    }

    #[test]
    fn as_good_as_the_record_says_nothing() {
        assert_eq!(compare(&RECORDS, &measures(400, 50)), (vec![], vec![]));
    }

    #[test]
    fn worse_is_a_finding_and_better_is_advice() {
        let (worse, better) = compare(&RECORDS, &measures(401, 49));
        assert_eq!(worse.len(), 1);
        assert!(
            worse[0].message.contains("the longest file is 401"),
            "{worse:?}"
        );
        assert_eq!(better.len(), 1);
        assert!(better[0].contains("tidy --update"), "{better:?}");
    }

    #[test]
    fn an_update_lowers_and_never_raises() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("xtask")).unwrap();
        update(root.path(), &measures(400, 50)).unwrap();
        update(root.path(), &measures(390, 50)).unwrap();
        assert_eq!(read(root.path()).unwrap().longest_file, 390);
        assert!(update(root.path(), &measures(391, 50)).is_err());
        assert_eq!(read(root.path()).unwrap().longest_file, 390);
        assert!(
            fs::read_to_string(root.path().join(PATH))
                .unwrap()
                .starts_with('#')
        );
    }
}
