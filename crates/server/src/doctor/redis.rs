//! Redis, if counters are shared.

use std::time::Duration;

use tollgate_redis::{Door, Doubt, Examination, Layout, Primary, Standing, Trouble, examine};

use super::{Diagnosis, Grade, clocks};
use crate::{config::Settings, engine::redis_options, when};

const ABOUT: &str = "redis";

/// How long all of Redis may take to be as it should.
const PATIENCE: Duration = Duration::from_secs(4);
/// The most primaries and findings that are told of.
const TOLD_MAX: usize = 64;

pub(super) async fn look(settings: &Settings) -> Vec<Diagnosis> {
    let Some(redis) = &settings.redis else {
        let text = "not set: every node counts by itself";
        return vec![Diagnosis::fine(ABOUT, text)];
    };
    let options = match redis_options(redis, settings.node.as_str()) {
        Ok(options) => options,
        Err(error) => return vec![Diagnosis::told(ABOUT, Grade::Problem, error.to_string())],
    };
    match examine(&options, PATIENCE).await {
        Ok(found) => told(&found),
        Err(error) => vec![Diagnosis::told(ABOUT, Grade::Problem, error.to_string())],
    }
}

fn told(found: &Examination) -> Vec<Diagnosis> {
    let mut all: Vec<Diagnosis> = Vec::new();
    all.extend(found.doors.iter().filter_map(|door| closed(door, found)));
    let count = found.primaries.len();
    match found.layout {
        Layout::Cluster => {
            let text = format!("a Cluster of {count} shards");
            all.push(Diagnosis::fine(ABOUT, text));
        }
        Layout::Single => all.push(Diagnosis::fine(ABOUT, "a single server")),
        _ if found.doors.iter().all(|door| door.trouble.is_some()) => {}
        _ => {
            let text = "it cannot be found out who serves what";
            let remedy = "see CLUSTER INFO: a Cluster has to serve its slots";
            all.push(Diagnosis::problem(ABOUT, text, remedy));
        }
    }
    for primary in found.primaries.iter().take(TOLD_MAX) {
        all.extend(shard(primary));
        all.extend(in_doubt(primary));
    }
    let clocks = found.primaries.iter().filter_map(clock);
    let clocks: Vec<(&str, Diagnosis)> = clocks.take(TOLD_MAX).collect();
    for finding in found.findings.iter().take(TOLD_MAX) {
        // The clock is told of by what was measured here.
        let is_clock = finding.text.starts_with("its clock is ");
        if is_clock && clocks.iter().any(|(name, _)| *name == finding.shard) {
            continue;
        }
        let text = format!("{}: {}", finding.shard, finding.text);
        all.push(Diagnosis::told(ABOUT, Grade::Warning, text));
    }
    all.extend(clocks.into_iter().map(|(_, diagnosis)| diagnosis));
    if found.primaries.iter().any(is_up) {
        all.push(Diagnosis::fine(ABOUT, nodes(found.live_nodes)));
    }
    all
}

/// An address that does not open. A Cluster is found by any that does.
fn closed(door: &Door, found: &Examination) -> Option<Diagnosis> {
    let Trouble { text, remedy, .. } = door.trouble.as_ref()?;
    let is_told = |primary: &Primary| primary.name == door.name && primary.trouble.is_some();
    if found.primaries.iter().any(is_told) {
        return None;
    }
    let remedy = format!("{remedy} (--redis)");
    Some(if found.layout == Layout::Unknown {
        Diagnosis::problem(ABOUT, text, remedy)
    } else {
        Diagnosis::warning(ABOUT, text, remedy)
    })
}

fn shard(primary: &Primary) -> Option<Diagnosis> {
    let name = &primary.name;
    let version = primary.version.as_deref().unwrap_or("of unknown version");
    if is_up(primary) {
        return Some(Diagnosis::fine(ABOUT, format!("{name} is up, {version}")));
    }
    Some(match &primary.trouble {
        Some(Trouble { text, remedy, .. }) => {
            let text = format!("{name} cannot be used: {text}");
            Diagnosis::problem(ABOUT, text, *remedy)
        }
        None => Diagnosis::problem(
            ABOUT,
            format!("{name} is not up within {PATIENCE:?}"),
            "see its log, and whether it is overloaded",
        ),
    })
}

/// Counters of which it is not known what is left.
fn in_doubt(primary: &Primary) -> Option<Diagnosis> {
    let Doubt { awaited, until, .. } = primary.doubt?;
    let text = format!(
        "{}: counters that it has lost may be in doubt until {}, since {awaited} of the processes that spent on them \
         have not told what: on_failure answers for those",
        primary.name,
        when::shown(until)
    );
    let remedy =
        "wait, start again the nodes that are missing, or end it with `tollgate redis trust`";
    Some(Diagnosis::warning(ABOUT, text, remedy))
}

fn is_up(primary: &Primary) -> bool {
    primary.standing != Standing::Down
}

/// A clock that is not right.
fn clock(primary: &Primary) -> Option<(&str, Diagnosis)> {
    let text = clocks::apart(primary.offset?).err()?;
    let text = format!(
        "{}: {text}: windows turn by its clock, reset times are told by this one's",
        primary.name
    );
    let warning = Diagnosis::warning(ABOUT, text, clocks::REMEDY);
    Some((primary.name.as_str(), warning))
}

fn nodes(live: Option<u32>) -> String {
    match live {
        Some(0) => "no node of the fleet is alive".to_owned(),
        Some(1) => "one node of the fleet is alive".to_owned(),
        Some(nodes) => format!("{nodes} nodes of the fleet are alive"),
        None => "how many nodes are alive cannot be told".to_owned(),
    }
}
