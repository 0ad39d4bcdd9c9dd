//! A node that is stopped with tokens of a bucket in its hands, until the bucket is full again without them: what it holds
//! then is nobody's. It was about to ask for more when it was stopped, so nothing but the deadline of its lease tells it.

use rustix::process::Signal;
use serde_json::json;
use tollgate_core::{Clock as _, SystemClock, Timestamp};
use tollgate_testkit::{proxy::Proxy, redis::Redis, wait_for};

use super::rig::Node;
use crate::common::{resp::Resp, server::LONG};

const BURST: u64 = 300;
const RATE: u64 = 50;

const RULES: &str = "\
version: 1
rules:
  - { name: brim, match: { endpoint: /brim }, key: [user], limits: [{ per: 50/s, burst: 300 }], on_failure: closed }
";

/// So many in its hands are worth a story.
const HELD: u64 = 40;
/// Requests of one caller that travel together.
const TOGETHER: usize = 5;
/// Who wait for the stopped node, so that one of them is served before it has looked around.
const CALLERS: usize = 24;
/// Requests of each; more than it holds.
const WAITING: usize = 400;
/// Lines of one answer.
const LINES: usize = 8;

fn bundle(size: usize) -> String {
    Resp::command(&["TG.CHECK", "user_id", "ann", "endpoint", "/brim"]).repeat(size)
}

fn now() -> Timestamp {
    SystemClock.now().steady
}

/// When each of the next answers that says yes has come.
fn admissions(caller: &mut Resp, answers: usize) -> Vec<Timestamp> {
    let answers = (0..answers).map(|_| caller.lines(LINES)[1] == ":1");
    answers.filter(|is_admitted| *is_admitted).map(|_| now()).collect()
}

fn ask(caller: &mut Resp, requests: usize) -> Vec<Timestamp> {
    caller.write(bundle(requests).as_bytes());
    admissions(caller, requests)
}

fn held(node: &Node) -> u64 {
    node.metric("tollgate_lease_held_units")
}

fn left(node: &Node) -> u64 {
    let body = json!({ "user_id": "ann", "endpoint": "/brim" });
    let reply = node.server.decisions().post("/ratelimit/peek", &body);
    reply.json()["remaining"].as_u64().unwrap()
}

// Proves: C3
#[test]
fn a_node_that_was_stopped_spends_nothing_of_what_ran_out_meanwhile() {
    let redis = Redis::start();
    let proxy = Proxy::to(redis.address());
    let stopped = Node::ready(&format!("redis://{}", proxy.addr()), RULES);
    let other = Node::ready(&redis.url(), RULES);
    let mut callers = [(); CALLERS].map(|()| Resp::to(stopped.server.resp));
    let first = &mut callers[0];
    wait_for("a node with tokens that asks for more", LONG, || {
        ask(first, TOGETHER);
        if held(&stopped) < HELD {
            return None;
        }
        proxy.stall();
        let calls = stopped.metric("tollgate_lease_calls_total");
        wait_for("a call that is under way", LONG, || {
            ask(first, 1);
            (stopped.metric("tollgate_lease_calls_total") > calls).then_some(())
        });
        if held(&stopped) >= HELD / 2 {
            return Some(());
        }
        proxy.flow();
        None
    });
    stopped.server.pause();
    // It is full when everything has run out that was leased of it. One token is what a peek would take.
    wait_for("a bucket that is full again", LONG, || (left(&other) >= BURST - 1).then_some(()));

    for caller in &mut callers {
        caller.write(bundle(WAITING).as_bytes());
    }
    let mut neighbour = Resp::to(other.server.resp);
    let begin = now();
    stopped.server.signal(Signal::CONT);
    let mut admitted = std::thread::scope(|scope| {
        let each = callers.iter_mut().map(|caller| {
            let waiting = move || admissions(caller, WAITING);
            scope.spawn(waiting)
        });
        let each: Vec<_> = each.collect();
        let mut admitted = ask(&mut neighbour, WAITING);
        // Those who wait at the other would wait for its deadlines, one after another.
        proxy.flow();
        let others = each.into_iter().flat_map(|one| one.join().unwrap());
        admitted.extend(others);
        admitted
    });
    admitted.sort_unstable();
    for (at, count) in admitted.iter().zip(1_u64..) {
        let earned = at.since(begin).get() * RATE / 1_000_000 + 1;
        assert!(count <= BURST + earned, "{count} within {}", at.since(begin));
    }
    let (most, admitted) = (usize::try_from(BURST).unwrap(), admitted.len());
    assert!(admitted > most * 9 / 10, "{admitted} of {most}");
    stopped.until_fine();
    wait_for("somebody who passes", LONG, || {
        (stopped.passes("/brim", "ann", 1) == 1).then_some(())
    });
}
