//! A million overrides beside the rules.

use std::{hint::black_box, time::Instant};

use tollgate::{
    Timestamp,
    rules::{Change, Directory, Field, Key, Override, Query, Rule, RuleSet, Snapshot},
};

use super::lookup::median;
use crate::{
    bytes::{self, resident_bytes},
    depth::Depth,
};

/// What many overrides cost; measured in a process of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overrides {
    pub(crate) count: usize,
    pub(crate) bytes_each: f64,
    pub(crate) load_ms: f64,
    /// A decision's plan for a key that has an override, beside one of the same rules without any
    /// override.
    pub(crate) plan_ns: f64,
    pub(crate) plan_without_ns: f64,
    pub(crate) edit_us: f64,
}

/// Starts this program again as `grow-overrides`.
pub(super) fn run(depth: Depth) -> anyhow::Result<Overrides> {
    let count = depth.pick(10_000, 1_000_000);
    let [bytes_each, load_ms, plan_ns, plan_without_ns, edit_us] =
        bytes::child_numbers(&["grow-overrides", &count.to_string()])?;
    Ok(Overrides { count, bytes_each, load_ms, plan_ns, plan_without_ns, edit_us })
}

/// Prints the numbers that [`run`] reads.
pub(crate) fn child(count: usize) -> anyhow::Result<()> {
    let (snapshot, rule) = one_rule();
    let exception = |user: usize| {
        let mut exception = Override::new(Some(rule.name.clone()));
        exception.key.insert(Field::User, user_name(user).into());
        exception.change = Change::Limit("500/h".parse().expect("a limit"));
        exception
    };
    let directory = Directory::new();
    let before = resident_bytes()?;
    let start = Instant::now();
    for first in (0..count).step_by(BATCH) {
        let batch: Vec<(u64, Override)> = (first..count.min(first + BATCH))
            .map(|user| (user as u64 + 1, exception(user)))
            .collect();
        directory.put_all(batch.iter().map(|(id, exception)| (*id, Some(rule.id), exception)));
    }
    let load_ms = start.elapsed().as_secs_f64() * 1e3;
    let bytes_each = (resident_bytes()? - before) as f64 / count as f64;
    let plan_ns = plan_time(&snapshot, &directory, count);
    let plan_without_ns = plan_time(&snapshot, &Directory::new(), count);
    let mut edits: Vec<f64> = (0..1_000)
        .map(|edit| {
            let user = edit * 7_919 % count;
            let exception = exception(user);
            let start = Instant::now();
            directory.put(user as u64 + 1, Some(rule.id), &exception);
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    let edit_us = median(&mut edits);
    println!("{bytes_each} {load_ms} {plan_ns} {plan_without_ns} {edit_us}");
    Ok(())
}

/// Overrides arrive from the database in pages of this size.
const BATCH: usize = 50_000;

fn user_name(user: usize) -> String {
    format!("user-{user}")
}

fn one_rule() -> (Snapshot, Rule) {
    let key = Key::new([Field::User.into()]).expect("a key");
    let limit = "100/h".parse().expect("a limit");
    let rule = Rule::throttle("plan".parse().expect("a name"), key, limit);
    let mut set = RuleSet::default();
    set.rules.insert(rule.name.clone(), rule.clone().into());
    (Snapshot::compile(&set, 1), rule)
}

/// Nanoseconds per plan, over users that are spread out.
fn plan_time(snapshot: &Snapshot, directory: &Directory, count: usize) -> f64 {
    const USERS: usize = 10_000;
    let names: Vec<String> = (0..USERS).map(|user| user_name(user * 7_919 % count)).collect();
    let mut times = Vec::new();
    for _ in 0..11 {
        let start = Instant::now();
        for name in &names {
            let query = Query::new().user(name).expect("a user");
            black_box(snapshot.plan(&query, directory, Timestamp::EPOCH));
        }
        times.push(start.elapsed().as_secs_f64() * 1e9 / USERS as f64);
    }
    median(&mut times)
}
