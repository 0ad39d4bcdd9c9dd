//! The fuzz target of rules files as a property test: random bytes, and good and bad files mutated.
// Proves: R11

use std::{fs, path::Path};

use tollgate_testkit::{Rng, fuzz};

const MUTANTS: u64 = 15_000;

/// Pieces that mean something to YAML or to us.
const PIECES: [&str; 40] = [
    "\n",
    "\r\n",
    "\t",
    " ",
    "  - ",
    ": ",
    "{",
    "}",
    "[",
    "]",
    ", ",
    "\"",
    "'",
    "#",
    "&a ",
    "*a",
    "!x ",
    "|\n",
    ">\n",
    "? ",
    "---\n",
    "...\n",
    "%YAML",
    "\\",
    "null",
    "~",
    "rules:",
    "name: ",
    "limit: 5/min",
    "key: [ip]",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\0",
    "日本",
    "é\u{301}",
    "\u{202e}",
    "\u{1b}[31m",
    "<<: ",
    "version: 1\n",
];

fn corpus() -> Vec<Vec<u8>> {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules/tests");
    let mut files = Vec::new();
    for folder in ["good", "bad"] {
        let entries = fs::read_dir(rules.join(folder)).expect("the fixtures are there");
        let paths = entries.map(|entry| entry.expect("a file").path());
        let mut paths: Vec<_> =
            paths.filter(|path| path.extension().is_some_and(|ending| ending == "yaml")).collect();
        paths.sort();
        files.extend(paths.iter().map(|path| fs::read(path).expect("a fixture")));
    }
    files
}

fn mutate(rng: &mut Rng, file: &mut Vec<u8>) {
    for _ in 0..=rng.below(4) {
        let place = rng.index(file.len() + 1);
        let end = (place + rng.index(12)).min(file.len());
        match rng.below(5) {
            0 => drop(file.splice(place..end, [])),
            1 => drop(file.splice(place..place, rng.pick(&PIECES).bytes())),
            2 => drop(file.splice(place..end, rng.pick(&PIECES).bytes())),
            3 => file.iter_mut().skip(place).take(1).for_each(|byte| *byte ^= 1 << rng.below(8)),
            _ => {
                let piece = file.get(place..end).unwrap_or_default().to_vec();
                let other = rng.index(file.len() + 1);
                drop(file.splice(other..other, piece));
            }
        }
    }
}

#[test]
fn mutated_files_are_read_or_refused_in_words() {
    let mut rng = Rng::new(21);
    // An alias bomb takes its time to be refused; a few are enough.
    let corpus: Vec<Vec<u8>> = corpus().into_iter().filter(|file| file.len() < 2_000).collect();
    assert!(corpus.len() > 100);
    for _ in 0..MUTANTS {
        let mut file = rng.pick(&corpus);
        mutate(&mut rng, &mut file);
        fuzz::rules_document(&file);
    }
}

#[test]
fn files_cut_short_are_read_or_refused_in_words() {
    for file in corpus() {
        let step = (file.len() / 60).max(1);
        for end in (0..=file.len()).step_by(step) {
            fuzz::rules_document(file.get(..end).unwrap_or_default());
        }
    }
}

#[test]
fn random_pieces_are_read_or_refused_in_words() {
    let mut rng = Rng::new(22);
    for _ in 0..MUTANTS {
        let pieces: String = (0..rng.below(30)).map(|_| rng.pick(&PIECES)).collect();
        fuzz::rules_document(pieces.as_bytes());
        let bytes: Vec<u8> = (0..rng.below(60)).map(|_| rng.word().to_le_bytes()[0]).collect();
        fuzz::rules_document(&bytes);
    }
}
