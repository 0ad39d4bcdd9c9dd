//! Memory per key: the resident set of a process of its own before and after it met its keys.

use std::{env, fs, process::Command};

use anyhow::Context as _;

use crate::{
    depth::Depth,
    report::{Bar, Found, Table, keys},
    subjects::Kind,
};

/// One process's growth.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Growth {
    kind: Kind,
    keys: usize,
    before: f64,
    after: f64,
}

impl Growth {
    fn per_key(&self) -> f64 {
        (self.after - self.before) / self.keys as f64
    }
}

/// The bar on the whole process has its own number of keys.
const ACTIVE_KEYS: usize = 500_000;
const KEYS: usize = 1_000_000;
const KEYS_QUICK: usize = 100_000;

/// At most so many bytes for each of [`KEYS`].
const BYTES_MAX: [(Kind, f64); 3] =
    [(Kind::IsAllowed, 24.0), (Kind::FixedWindow, 24.0), (Kind::SlidingWindow, 40.0)];
/// Far under 60 MB is half of them.
const PROCESS_MEGABYTES_MAX: f64 = 30.0;

impl Found for Vec<Growth> {
    fn tables(&self) -> Vec<Table> {
        vec![Table::of(
            "Resident memory, a process for each line",
            self,
            &[
                ("", |it: &Growth| it.kind.name().into()),
                ("keys", |it| keys(it.keys).into()),
                ("bytes per key", |it| it.per_key().into()),
                ("whole process, MB", |it| (it.after / 1e6).into()),
            ],
        )]
    }

    fn bars(&self) -> Vec<Bar> {
        let each = BYTES_MAX.into_iter().filter_map(|(kind, max)| {
            let growth = self.iter().find(|growth| (growth.kind, growth.keys) == (kind, KEYS))?;
            Some(Bar::at_most(
                format!("{}, bytes per key at 1 M", kind.name()),
                max,
                growth.per_key(),
                "B",
            ))
        });
        let active = self.iter().find(|growth| growth.keys == ACTIVE_KEYS);
        let whole = active.map(|growth| {
            let what = "whole process with 500,000 active keys";
            Bar::at_most(what, PROCESS_MEGABYTES_MAX, growth.after / 1e6, "MB")
        });
        each.chain(whole).collect()
    }
}

pub(crate) fn run(depth: Depth) -> anyhow::Result<Vec<Growth>> {
    if depth == Depth::Quick {
        return everybody(KEYS_QUICK);
    }
    let mut growths = everybody(KEYS)?;
    growths.push(grow(Kind::IsAllowed, ACTIVE_KEYS)?);
    Ok(growths)
}

fn everybody(keys: usize) -> anyhow::Result<Vec<Growth>> {
    let kinds = Kind::ALL.into_iter().filter(|kind| !kind.is_another_door());
    kinds.map(|kind| grow(kind, keys)).collect()
}

/// Starts this program again as `grow`.
fn grow(kind: Kind, keys: usize) -> anyhow::Result<Growth> {
    eprintln!("growing: {keys} keys, {}", kind.name());
    let [before, after] = child_numbers(&["grow", &kind.word(), &keys.to_string()])?;
    Ok(Growth { kind, keys, before, after })
}

/// What the child does: prints its resident bytes before and after.
pub(crate) fn child(kind: Kind, keys: usize) -> anyhow::Result<()> {
    let before = resident_bytes()?;
    let contestant = kind.build(keys);
    contestant.fill(keys);
    let after = resident_bytes()?;
    println!("{before} {after}");
    Ok(())
}

pub(crate) fn resident_bytes() -> anyhow::Result<u64> {
    let status = fs::read_to_string("/proc/self/status").context("reading the resident set")?;
    let kilobytes = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.trim().strip_suffix(" kB"))
        .context("no VmRSS in /proc/self/status")?;
    Ok(kilobytes.trim().parse::<u64>()? * 1_024)
}

/// The numbers that this program prints when it is started with these words: what memory takes is told best by a
/// process that has done nothing else.
pub(crate) fn child_numbers<const N: usize>(words: &[&str]) -> anyhow::Result<[f64; N]> {
    let program = env::current_exe().context("finding this program")?;
    let child =
        Command::new(program).args(words).output().context("starting this program again")?;
    let text = String::from_utf8_lossy(&child.stdout);
    let numbers: Vec<f64> = text
        .split_whitespace()
        .map(|word| word.parse().context("a number from the child"))
        .collect::<anyhow::Result<_>>()?;
    let numbers = <[f64; N]>::try_from(numbers).ok();
    numbers.with_context(|| format!("the child said {text:?}"))
}
