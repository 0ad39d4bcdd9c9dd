//! The spellings, the servers, and where Tollgate counts what they serve.

// Proves: R1

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    net::SocketAddr,
    thread,
};

use tollgate_rules::{EndpointPattern, Query};

use super::{
    servers::{LAX, READINGS, Servers},
    spellings::{PROTECTED, spellings},
    visitor::Visitor,
};

/// What Tollgate makes of a spelling.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fate {
    /// By the rule about the protected path.
    Counted,
    Refused,
    /// `%2F` is no slash to Tollgate, whose gateways refuse it before it is asked: the stories about them show it.
    LeftToGateway,
    /// Only a server that ignores case and what ends a name serves it: another path by definition.
    Lax,
    Evaded,
}

fn fate(spelling: &str, readings: &BTreeSet<String>) -> Fate {
    let rule: EndpointPattern = PROTECTED.parse().unwrap();
    let is_protected = |path: &str| {
        let query = Query::new().endpoint(path).ok()?;
        Some(rule.matches(query.path()?))
    };
    let path = spelling.split('?').next().unwrap().to_ascii_lowercase();
    match is_protected(spelling) {
        None => Fate::Refused,
        Some(true) => Fate::Counted,
        Some(false) if path.contains("%2f") => Fate::LeftToGateway,
        Some(false) => {
            let trimmed = path.replace("%2e", ".").replace("%20", " ");
            let trimmed = trimmed.trim_end_matches(['.', ' ']);
            let is_lax = readings.iter().all(|reading| reading == LAX);
            match is_lax && is_protected(trimmed) == Some(true) {
                true => Fate::Lax,
                false => Fate::Evaded,
            }
        }
    }
}

/// The readings by which one server serves each spelling as the protected path.
fn asked(
    (name, address): (&str, SocketAddr),
    spellings: &BTreeSet<String>,
) -> Vec<(String, String)> {
    let mut visitor = Visitor::new(address);
    let mut found = Vec::new();
    for spelling in spellings {
        let readings = visitor.readings(spelling).into_iter();
        found.extend(readings.map(|reading| (spelling.clone(), format!("{name} {reading}"))));
    }
    found
}

/// The same of all servers, at the same time.
fn served(
    sites: &[(&'static str, SocketAddr)],
    spellings: &BTreeSet<String>,
) -> BTreeMap<String, BTreeSet<String>> {
    let found = thread::scope(|scope| {
        let asking: Vec<_> =
            sites.iter().map(|&site| scope.spawn(move || asked(site, spellings))).collect();
        let found = asking.into_iter().map(|asking| asking.join().unwrap());
        found.collect::<Vec<_>>().concat()
    });
    let mut served: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (spelling, reading) in found {
        served.entry(spelling).or_default().insert(reading);
    }
    served
}

#[test]
#[expect(
    clippy::print_stdout,
    reason = "`--nocapture` shows what the servers make of the spellings"
)]
fn what_a_server_takes_for_the_protected_path_is_counted_there_or_refused() {
    let servers = Servers::start();
    let spellings = spellings();
    let served = served(&servers.sites, &spellings);
    let mut table: BTreeMap<&str, BTreeMap<Fate, usize>> = BTreeMap::new();
    let mut evaded = String::new();
    for (spelling, readings) in &served {
        let fate = fate(spelling, readings);
        for reading in readings {
            *table.entry(reading).or_default().entry(fate).or_default() += 1;
        }
        if fate == Fate::Evaded {
            writeln!(evaded, "{spelling}  {readings:?}").unwrap();
        }
    }
    println!("{} spellings, {} served as {PROTECTED}", spellings.len(), served.len());
    for (reading, fates) in &table {
        println!("{reading}: {} served, {fates:?}", fates.values().sum::<usize>());
    }
    assert!(evaded.is_empty(), "served as {PROTECTED}, and counted elsewhere:\n{evaded}");
    let plain = &served[PROTECTED];
    for reading in READINGS {
        assert!(plain.contains(reading), "{reading} does not serve {PROTECTED}: {plain:?}");
    }
    let other = served.get("/api/Login").map(BTreeSet::len);
    assert_eq!(other, Some(1), "only {LAX} ignores case");
}
