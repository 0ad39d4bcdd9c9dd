//! What Prometheus finds of a server with Redis, and that the manual says so.
// Proves: O1

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::json;
use tollgate_testkit::{
    certificates::{A_YEAR, Authority},
    redis::Redis,
    wait_for,
};

use crate::{
    common::{Desk, server::LONG},
    serve::metrics::scrape,
};

/// Every metric is in the manual with its type and labels, and nothing else is.
#[test]
fn the_manual_knows_every_metric() {
    let desk = Desk::new();
    desk.write("rules.yaml", "version: 1\nrules: [{ name: a, key: [user], limit: 1/s }]\n");
    let signed = Authority::new("the house").server(&desk.path(""), "server", A_YEAR);
    let (certificate, key) = (&signed.certificate.to_str().unwrap(), &signed.key.to_str().unwrap());
    let sealed = ["--resp-tls-cert", certificate, "--resp-tls-key", key];
    let redis = Redis::start();
    let url = redis.url();
    let flags = ["--rules", "rules.yaml", "--redis", &url];
    let server = desk.serve(&[&flags, &sealed[..]].concat());
    // What is told of a shard is there once the shard is.
    wait_for("a server that lacks nothing", LONG, || {
        let ready = server.decisions().get("/readyz").with(200).json();
        (ready["degraded"] == json!([])).then_some(())
    });
    let mut found: BTreeMap<String, (String, String)> = BTreeMap::new();
    let text = scrape(&server);
    for line in text.lines() {
        let Some(rest) = line.strip_prefix("# TYPE ") else {
            continue;
        };
        let (name, kind) = rest.split_once(' ').unwrap();
        let ending = match kind {
            "counter" => "_total",
            "histogram" => "_count",
            _ => "",
        };
        let sample = text.lines().find(|line| {
            let after = line.strip_prefix(&format!("{name}{ending}"));
            after.is_some_and(|after| after.starts_with(['{', ' ']))
        });
        let sample = sample.unwrap_or_else(|| panic!("no series of {name}"));
        let labels = sample.split_once('{').map_or("", |(_, rest)| rest.split('}').next().unwrap());
        let names = labels.split(',').filter_map(|label| label.split_once('='));
        let names: Vec<String> = names.map(|(name, _)| format!("`{name}`")).collect();
        let shown = if kind == "counter" { format!("{name}_total") } else { name.to_owned() };
        found.insert(shown, (kind.to_owned(), names.join(", ")));
    }
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let page = fs::read_to_string(top.join("docs/reference/metrics.md")).unwrap();
    let mut told = BTreeMap::new();
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if cells.len() < 6 {
            continue; // the table of outcomes
        }
        let name = cells[1].trim_matches('`').to_owned();
        told.insert(name, (cells[2].to_owned(), cells[3].to_owned()));
    }
    assert_eq!(told, found);
}
