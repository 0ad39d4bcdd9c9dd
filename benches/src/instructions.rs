//! Instructions per check, counted by valgrind: the number that no neighbour can disturb.

use std::{env, process::Command};

use anyhow::Context as _;

use crate::{
    depth::Depth,
    report::{Found, Table, keys},
    subject::COUNTED,
    subjects::Kind,
    workload::{Request, Skew, draw},
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Count {
    pub(crate) kind: Kind,
    pub(crate) keys: usize,
    pub(crate) per_check: f64,
}

impl Found for Option<Vec<Count>> {
    fn tables(&self) -> Vec<Table> {
        let Some(counts) = self else {
            return vec![Table::remark(
                "Instructions per check: not counted, valgrind is not installed.",
            )];
        };
        vec![Table::of(
            "Instructions per check (callgrind)",
            counts,
            &[
                ("", |it: &Count| it.kind.name().into()),
                ("keys", |it| keys(it.keys).into()),
                ("instructions", |it| it.per_check.into()),
            ],
        )]
    }
}

/// The instructions do not depend on the caches, so one size is enough.
const KEYS: usize = 1_000;
const QUICK: [Kind; 2] = [Kind::IsAllowed, Kind::Governor];

/// `None` without valgrind.
pub(crate) fn run(depth: Depth) -> anyhow::Result<Option<Vec<Count>>> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        return Ok(None);
    }
    let kinds = match depth {
        Depth::Full => Kind::ALL.as_slice(),
        Depth::Quick => &QUICK,
    };
    let counts: anyhow::Result<Vec<Count>> = kinds.iter().map(|&kind| count_one(kind)).collect();
    counts.map(Some)
}

/// Starts this program again as `count`, inside valgrind.
fn count_one(kind: Kind) -> anyhow::Result<Count> {
    eprintln!("counting: {KEYS} keys, {}", kind.name());
    let program = env::current_exe().context("finding this program")?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(format!("--toggle-collect={COUNTED}"))
        .arg(program)
        .args(["count", &kind.word(), &KEYS.to_string()])
        .output()
        .context("starting valgrind")?;
    let text = String::from_utf8_lossy(&output.stderr);
    let total = collected(&text).with_context(|| format!("valgrind said {text}"))?;
    Ok(Count { kind, keys: KEYS, per_check: total as f64 / requests(KEYS).len() as f64 })
}

/// What the child does: checks on known keys, in the function that valgrind counts.
pub(crate) fn child(kind: Kind, keys: usize, passes: usize) {
    let contestant = kind.build(keys);
    let requests = requests(keys);
    contestant.fill(keys);
    for _ in 0..passes {
        contestant.counted(&requests);
    }
}

fn requests(keys: usize) -> Vec<Request> {
    draw(keys, Skew::Uniform, 0)
}

fn collected(text: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::collected;

    #[test]
    fn reads_what_callgrind_says() {
        let text = "==7== Events    : Ir\n==7== Collected : 3431659\n==7== \n";
        assert_eq!(collected(text), Some(3_431_659));
        assert_eq!(collected("==7== nothing"), None);
    }
}
