//! What it costs to know who asks.

mod keys;
mod revocation;

pub(crate) use keys::{Keys, child as keys_child};

use crate::{
    depth::Depth,
    report::{Bar, Found, Table},
    rules::Spread,
    servers::{self, Identified},
};

/// Everything measured about identity.
#[derive(Debug)]
pub(crate) struct Identity {
    /// Over HTTP, beside a check whose facts are stated.
    pub(crate) served: Vec<Identified>,
    pub(crate) keys: Keys,
    /// Absent in a quick look.
    pub(crate) revocation: Option<Spread>,
}

pub(crate) fn run(depth: Depth) -> anyhow::Result<Identity> {
    eprintln!("identity: over HTTP");
    let served = servers::identified(depth)?;
    eprintln!("identity: API keys in memory");
    let keys = keys::run(depth)?;
    eprintln!("identity: revocation");
    let revocation = match depth {
        Depth::Quick => None,
        Depth::Full => Some(revocation::run()?),
    };
    Ok(Identity { served, keys, revocation })
}

impl Found for Identity {
    fn tables(&self) -> Vec<Table> {
        let mut tables = vec![
            Table::of(
                "Identity over HTTP, 50 connections: thousand decisions per second",
                &self.served,
                &[
                    ("pipeline", |it: &Identified| it.pipeline.into()),
                    ("who asks", |it| it.what.into()),
                    ("decisions", |it| (it.rate / 1e3).into()),
                    ("percent slower than stated facts", |it| slower(it).into()),
                ],
            ),
            Table::of(
                "API keys in memory",
                [&self.keys],
                &[
                    ("keys", |it: &Keys| it.count.into()),
                    ("bytes each", |it| it.bytes_each.into()),
                    ("load all, ms", |it| it.load_ms.into()),
                    ("find, ns", |it| it.find_ns.into()),
                    ("miss, ns", |it| it.miss_ns.into()),
                    ("revoke one, µs", |it| it.revoke_us.into()),
                ],
            ),
        ];
        tables.extend(
            self.revocation
                .as_ref()
                .map(|spread| spread.table("A revocation until it is enforced")),
        );
        tables
    }

    fn bars(&self) -> Vec<Bar> {
        let bars = self.served.iter().filter_map(|found| {
            let max = match found.what {
                "API key" => 10.0,
                "JWT, seen before" => 15.0,
                _ => return None,
            };
            let what = format!("{} over HTTP, pipeline {}, slower", found.what, found.pipeline);
            Some(Bar::at_most(what, max, slower(found), "%"))
        });
        bars.collect()
    }
}

/// In percent of the time for a decision on stated facts.
fn slower(found: &Identified) -> f64 {
    (found.stated / found.rate - 1.0) * 100.0
}
