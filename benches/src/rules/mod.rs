//! What rules cost: looking them up, compiling them, a million overrides beside them, news of them.

mod lookup;
mod memory;
mod overrides;
mod propagation;
mod sets;

pub(crate) use lookup::{Lookup, median};
pub(crate) use memory::child as snapshots_child;
pub(crate) use overrides::{Overrides, child as overrides_child};
pub(crate) use propagation::{Nodes, Spread, on_postgres};
pub(crate) use sets::{Asked, rule_set};

use crate::{
    depth::Depth,
    report::{Bar, Found, Table},
};

/// Everything measured about rules.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) lookups: Vec<Lookup>,
    /// What a snapshot of the smallest set takes.
    pub(crate) snapshot_bytes: f64,
    pub(crate) overrides: Overrides,
    /// Absent in a quick look.
    pub(crate) propagation: Option<Spread>,
}

pub(crate) fn run(depth: Depth) -> anyhow::Result<Rules> {
    eprintln!("rules: lookup");
    let lookups = lookup::run(depth);
    eprintln!("rules: memory");
    let snapshot_bytes = memory::snapshot_bytes(200)?;
    eprintln!("rules: overrides");
    let overrides = overrides::run(depth)?;
    eprintln!("rules: propagation");
    let propagation = match depth {
        Depth::Quick => None,
        Depth::Full => Some(propagation::run()?),
    };
    Ok(Rules { lookups, snapshot_bytes, overrides, propagation })
}

impl Found for Rules {
    fn tables(&self) -> Vec<Table> {
        let lookups = "Rules: from a request to its charges, nanoseconds; compiling, milliseconds";
        let mut tables = vec![
            Table::of(
                lookups,
                &self.lookups,
                &[
                    ("rules", |it: &Lookup| it.rules.into()),
                    ("facts to charges", |it| it.plan_ns.into()),
                    ("text to charges", |it| it.query_and_plan_ns.into()),
                    ("limitador, to an answer", |it| it.limitador_ns.into()),
                    ("compile", |it| it.compile_ms.into()),
                    ("charges", |it| it.charges.into()),
                ],
            ),
            Table::of(
                "A snapshot of 200 rules, rules included",
                [self],
                &[("kilobytes", |it: &Self| (it.snapshot_bytes / 1e3).into())],
            ),
            Table::of(
                "Overrides, in a process of their own",
                [&self.overrides],
                &[
                    ("overrides", |it: &Overrides| it.count.into()),
                    ("bytes each", |it| it.bytes_each.into()),
                    ("load all, ms", |it| it.load_ms.into()),
                    ("plan of a key with an override, ns", |it| it.plan_ns.into()),
                    ("plan without any override, ns", |it| it.plan_without_ns.into()),
                    ("one edit, µs", |it| it.edit_us.into()),
                ],
            ),
        ];
        tables
            .extend(self.propagation.as_ref().map(|news| news.table("From commit to enforcement")));
        tables
    }

    fn bars(&self) -> Vec<Bar> {
        let of = |count: usize| self.lookups.iter().find(|lookup| lookup.rules == count);
        let (Some(small), Some(large)) = (of(200), of(20_000)) else {
            return Vec::new();
        };
        let ratio = large.plan_ns / small.plan_ns;
        let mut bars = vec![
            Bar::at_most("charge list, 200 rules", 1_000.0, small.plan_ns, "ns"),
            Bar::at_most("charge list, 20,000 rules beside 200", 2.0, ratio, "×"),
            Bar::at_most("compile, 20,000 rules", 1_000.0, large.compile_ms, "ms"),
        ];
        let news = self.propagation.as_ref();
        bars.extend(
            news.map(|news| Bar::at_most("commit to enforcement, p99", 1_000.0, news.p99_ms, "ms")),
        );
        bars
    }
}
