//! What limits cost the program they are put into: a layer in its way, a call to a server, a server that is gone.

mod gone;
mod lane;
mod layer;
mod remote;

pub(crate) use gone::Gone;
pub(crate) use layer::Layered;
pub(crate) use remote::Remote;

use crate::{
    depth::Depth,
    report::{Bar, Found, Table, keys},
};

/// Of what tower_governor adds to a request, ours adds at most this part.
const PART_MAX: f64 = 0.5;
/// A call that the client answers itself takes at most this.
const GONE_NS_MAX: f64 = 1_000.0;

/// Everything measured about callers.
#[derive(Debug)]
pub(crate) struct Callers {
    pub(crate) layers: Vec<Layered>,
    pub(crate) remote: Vec<Remote>,
    pub(crate) gone: Vec<Gone>,
}

pub(crate) fn run(depth: Depth) -> anyhow::Result<Callers> {
    eprintln!("client: layers");
    let layers = layer::run(depth);
    eprintln!("client: the server gone");
    let gone = gone::run(depth)?;
    // Last, since from then on this thread keeps to one core.
    eprintln!("client: a server over loopback");
    let remote = remote::run(depth)?;
    Ok(Callers { layers, remote, gone })
}

impl Found for Callers {
    fn tables(&self) -> Vec<Table> {
        let layers = "A layer before a service that answers at once: nanoseconds per request";
        vec![
            Table::of(
                layers,
                &self.layers,
                &[
                    ("by", |it: &Layered| it.by.into()),
                    ("keys", |it| keys(it.keys).into()),
                    ("no layer", |it| it.bare_ns.into()),
                    ("Tollgate", |it| it.ours_ns.into()),
                    ("tower_governor", |it| it.theirs_ns.into()),
                    ("tower_governor, no header fields", |it| it.theirs_silent_ns.into()),
                    ("Tollgate adds", |it| it.ours_added().into()),
                    ("tower_governor adds", |it| it.theirs_added().into()),
                    ("part", |it| it.part().into()),
                ],
            ),
            Table::of(
                "A server with 200 rules over loopback",
                &self.remote,
                &[
                    ("", |it: &Remote| it.what.into()),
                    ("p50 µs, one at a time", |it| it.p50_us.into()),
                    ("p99 µs", |it| it.p99_us.into()),
                    ("thousand per second, 64 at once", |it| (it.rate / 1e3).into()),
                    ("not by the server", |it| it.not_by_server.into()),
                ],
            ),
            Table::of(
                "No server is asked: nanoseconds per call",
                &self.gone,
                &[("", |it: &Gone| it.what.into()), ("ns", |it| it.ns.into())],
            ),
        ]
    }

    fn bars(&self) -> Vec<Bar> {
        let layers = self.layers.iter().map(|found| {
            let what = format!(
                "a layer keyed by {}, {}, beside tower_governor",
                found.by,
                keys(found.keys)
            );
            Bar::at_most(what, PART_MAX, found.part(), "×")
        });
        let gone = self.gone.iter().map(|found| {
            Bar::at_most(
                format!("a call without a server: {}", found.what),
                GONE_NS_MAX,
                found.ns,
                "ns",
            )
        });
        layers.chain(gone).collect()
    }
}
