//! What a call costs for which nobody is asked.

use std::{
    future::Future as _,
    hint::black_box,
    pin::pin,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use tollgate_client::{BreakerState, Check, Client, Fallback, Source};

use crate::{depth::Depth, rules::median, servers::Ours};

/// Nanoseconds of a call that the client answers itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gone {
    pub(crate) what: &'static str,
    pub(crate) ns: f64,
}

const RULES: &str = "version: 1\nrules:\n  \
    - { name: one, match: { endpoint: /one }, key: [user], limit: 1000000/s }\n  \
    - { name: two-user, match: { endpoint: /two }, key: [user], limit: 1000000/s }\n  \
    - { name: two-org, match: { endpoint: /two }, key: [org], limit: 100000000/s }\n  \
    - { name: small, match: { endpoint: /small }, key: [user], limit: 1/day }\n";

const USERS: usize = 1_000;
const PIECE: usize = 250;
/// A server that is gone is asked no more after fewer calls than this.
const CALLS_UNTIL_OPEN: usize = 1_000;
const PATIENT: Duration = Duration::from_secs(1);

pub(super) fn run(depth: Depth) -> anyhow::Result<Vec<Gone>> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().build()?;
    runtime.block_on(measure(depth))
}

async fn measure(depth: Depth) -> anyhow::Result<Vec<Gone>> {
    let (rounds, turn) = depth.pick((1, Duration::from_millis(5)), (7, Duration::from_millis(60)));
    let ours = Ours::with_rules(RULES)?;
    let url = format!("http://{}", ours.http);
    let client = |fallback| {
        let builder = Client::builder(&url).deadline(PATIENT);
        builder.fallback(fallback).build()
    };
    let (local, open) = (client(Fallback::Local)?, client(Fallback::Open)?);
    let (one, two) = (checks("/one"), checks("/two"));
    for check in one.iter().chain(&two) {
        local.check(check).await?;
    }
    let mut denied = Vec::new();
    for _ in 0..rounds {
        denied.extend(denials(&local, turn).await?);
    }
    drop(ours);
    shut(&local).await?;
    shut(&open).await?;
    let lanes = [
        ("one limit enforced here", &local, &one, Fallback::Local),
        ("two limits enforced here", &local, &two, Fallback::Local),
        ("everything passes", &open, &one, Fallback::Open),
    ];
    let mut pieces: [Vec<f64>; 3] = Default::default();
    for _ in 0..rounds {
        for ((_, client, checks, fallback), pieces) in lanes.iter().zip(&mut pieces) {
            let source = Source::Fallback(*fallback);
            take(client, checks, source, turn / 4)?;
            pieces.extend(take(client, checks, source, turn)?);
        }
    }
    let mut found: Vec<Gone> = lanes
        .iter()
        .zip(&mut pieces)
        .map(|((what, ..), pieces)| Gone { what, ns: median(pieces) })
        .collect();
    found.push(Gone { what: "a denial that is remembered", ns: median(&mut denied) });
    Ok(found)
}

/// Four facts each, as a gateway knows them.
fn checks(endpoint: &'static str) -> Vec<Check<'static>> {
    let check = |user: usize| {
        let check = Check::new().user(format!("user-{user}")).org("acme");
        check.endpoint(endpoint).method("GET")
    };
    (0..USERS).map(check).collect()
}

/// Asks until nobody is asked any more.
async fn shut(client: &Client) -> anyhow::Result<()> {
    let check = Check::new().user("nobody").endpoint("/none");
    for _ in 0..CALLS_UNTIL_OPEN {
        client.check(&check).await?;
        if client.status().servers[0].breaker == BreakerState::Open {
            return Ok(());
        }
    }
    anyhow::bail!("the breaker did not open: {:?}", client.status())
}

/// A denial lasts a second, so it is asked for in each turn.
async fn denials(client: &Client, turn: Duration) -> anyhow::Result<Vec<f64>> {
    let hammer = [Check::new().user("hammer").org("acme").endpoint("/small")];
    let checks = hammer.iter().cycle().take(PIECE).cloned();
    let checks: Vec<Check<'_>> = checks.collect();
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    // The first may pass, the second does not.
    client.check(&hammer[0]).await?;
    client.check(&hammer[0]).await?;
    take(client, &checks, Source::CachedDenial, turn)
}

/// Nanoseconds per call, a number for each piece.
fn take(
    client: &Client,
    checks: &[Check<'_>],
    by: Source,
    turn: Duration,
) -> anyhow::Result<Vec<f64>> {
    let mut found = Vec::new();
    let begun = Instant::now();
    for checks in checks.chunks(PIECE).cycle() {
        let start = Instant::now();
        for check in checks {
            let source = answer(client, check);
            anyhow::ensure!(
                source == Some(by),
                "{by:?} was to answer, not {source:?}: the machine is too busy"
            );
        }
        found.push(start.elapsed().as_nanos() as f64 / checks.len() as f64);
        if begun.elapsed() >= turn {
            break;
        }
    }
    Ok(found)
}

/// Who answers at once; none if somebody has to be asked.
fn answer(client: &Client, check: &Check<'_>) -> Option<Source> {
    let mut context = Context::from_waker(Waker::noop());
    let checking = pin!(client.check(check));
    match checking.poll(&mut context) {
        Poll::Ready(Ok(answer)) => Some(black_box(answer).source()),
        Poll::Ready(Err(_)) | Poll::Pending => None,
    }
}
