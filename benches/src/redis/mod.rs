//! Counters in Redis: this store, the usual script called once a request, and what Redis can do at all.

mod contest;
mod hung;
mod leases;
mod load;
mod naive;
mod place;

pub(crate) use contest::{Contest, Layout};
pub(crate) use hung::Hung;
pub(crate) use leases::run as run_leases;

use crate::{
    depth::Depth,
    report::{Bar, Found, Table},
};

/// What was found out.
#[derive(Debug)]
pub(crate) struct Redis {
    pub(crate) version: String,
    pub(crate) contests: Vec<Contest>,
    pub(crate) hung: Hung,
}

pub(crate) fn run(depth: Depth) -> anyhow::Result<Redis> {
    let (version, contests) = contest::run(depth)?;
    Ok(Redis { version, contests, hung: hung::run(depth)? })
}

impl Found for Redis {
    fn tables(&self) -> Vec<Table> {
        let version = &self.version;
        let title = format!(
            "Counters in Redis {version}: thousand decisions per second; servers on one core, callers on another"
        );
        vec![
            Table::of(
                title,
                &self.contests,
                &[
                    ("redis", |it: &Contest| it.layout.words().into()),
                    ("keys", |it| it.keys.into()),
                    ("callers", |it| it.callers.into()),
                    ("one node", |it| (it.one_node / 1e3).into()),
                    ("two nodes", |it| (it.two_nodes / 1e3).into()),
                    ("script per request", |it| (it.naive / 1e3).into()),
                    ("× script", |it| (it.one_node / it.naive).into()),
                    ("redis-benchmark", |it| it.ceiling.map(|ceiling| ceiling / 1e3).into()),
                    ("a call decides", |it| it.together.into()),
                ],
            ),
            Table::of(
                "A decision, one at a time: p99, milliseconds",
                [&self.hung],
                &[
                    ("Redis well", |it: &Hung| it.healthy_p99_ms.into()),
                    ("hung", |it| it.waiting_p99_ms.into()),
                    ("deadline", |it| it.deadline_ms.into()),
                    ("breaker open", |it| it.open_p99_ms.into()),
                ],
            ),
        ]
    }

    fn bars(&self) -> Vec<Bar> {
        let ratio = |(words, keys, min)| {
            let mut contests = self.contests.iter();
            let is_it =
                |it: &&Contest| (it.layout, it.keys, it.callers) == (Layout::Single, keys, 64);
            let contest = contests.find(is_it)?;
            let what = format!("Redis, {words}, 64 callers, beside a script per request");
            Some(Bar::at_least(what, min, contest.one_node / contest.naive, "×"))
        };
        let ratios =
            [("hot key", 1, 3.0), ("100,000 keys", 100_000, 2.0)].into_iter().filter_map(ratio);
        let hung = &self.hung;
        let waits = [
            Bar::at_most(
                "decision while Redis hangs, p99",
                hung.deadline_ms + 1.0,
                hung.waiting_p99_ms,
                "ms",
            ),
            Bar::at_most("decision once the breaker is open, p99", 1.0, hung.open_p99_ms, "ms"),
        ];
        ratios.chain(waits).collect()
    }
}
