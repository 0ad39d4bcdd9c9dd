//! What a layer adds to a request.

use std::{
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use axum::{body::Body, extract::ConnectInfo};
use http::Request;
use tollgate_tower::{header, peer_ip};
use tower_governor::key_extractor::PeerIpKeyExtractor;

use super::lane::{ByHeader, HEADER, Lane, Plain, lane, ours, theirs, theirs_silent};
use crate::{
    depth::Depth,
    rules::median,
    workload::{Skew, draw},
};

/// Nanoseconds of a request, with one way to tell requests apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layered {
    pub(crate) by: &'static str,
    pub(crate) keys: usize,
    pub(crate) bare_ns: f64,
    pub(crate) ours_ns: f64,
    pub(crate) theirs_ns: f64,
    /// Theirs without header fields; ours always writes them.
    pub(crate) theirs_silent_ns: f64,
}

impl Layered {
    pub(crate) fn ours_added(&self) -> f64 {
        self.ours_ns - self.bare_ns
    }

    pub(crate) fn theirs_added(&self) -> f64 {
        self.theirs_ns - self.bare_ns
    }

    /// What ours adds, as a part of what theirs adds.
    pub(crate) fn part(&self) -> f64 {
        self.ours_added() / self.theirs_added()
    }
}

/// Requests that are made before the clock starts: so few that they are still near.
const PIECE: usize = 256;

pub(super) fn run(depth: Depth) -> Vec<Layered> {
    let mut found = Vec::new();
    for keys in [1_000, 100_000] {
        let by_header = [
            lane(Plain),
            ours(keys, header(HEADER)),
            theirs(keys, ByHeader),
            theirs_silent(keys, ByHeader),
        ];
        found.push(measure("header", keys, by_header, depth));
        let by_ip = [
            lane(Plain),
            ours(keys, peer_ip()),
            theirs(keys, PeerIpKeyExtractor),
            theirs_silent(keys, PeerIpKeyExtractor),
        ];
        found.push(measure("peer IP", keys, by_ip, depth));
    }
    found
}

fn measure(by: &'static str, keys: usize, mut lanes: [Lane; 4], depth: Depth) -> Layered {
    let (rounds, turn) = depth.pick((1, Duration::from_millis(5)), (7, Duration::from_millis(60)));
    eprintln!("  {keys} keys by {by}");
    for lane in &mut lanes {
        let mut all: Vec<usize> = (0..keys).collect();
        all.chunks_mut(PIECE).for_each(|piece| {
            serve(lane, piece);
        });
    }
    let mut pieces: [Vec<f64>; 4] = Default::default();
    for round in 0..rounds {
        let requests = draw(keys, Skew::Uniform, round);
        let order: Vec<usize> = requests.iter().map(|request| request.index).collect();
        for (lane, pieces) in lanes.iter_mut().zip(&mut pieces) {
            // The lane before has emptied the caches.
            take(lane, &order, turn / 4);
            pieces.extend(take(lane, &order, turn));
        }
    }
    let [bare_ns, ours_ns, theirs_ns, theirs_silent_ns] =
        pieces.map(|mut pieces| median(&mut pieces));
    Layered { by, keys, bare_ns, ours_ns, theirs_ns, theirs_silent_ns }
}

/// Nanoseconds per request, a number for each piece.
fn take(lane: &mut Lane, order: &[usize], turn: Duration) -> Vec<f64> {
    let mut found = Vec::new();
    let mut sum = Duration::ZERO;
    for piece in order.chunks(PIECE).cycle() {
        let took = serve(lane, piece);
        found.push(took.as_nanos() as f64 / piece.len() as f64);
        sum += took;
        if sum >= turn {
            break;
        }
    }
    found
}

fn serve(lane: &mut Lane, piece: &[usize]) -> Duration {
    let mut requests: Vec<Request<Body>> = piece.iter().map(|&index| request(index)).collect();
    lane(&mut requests)
}

/// As axum hands it on: some header fields, and who is connected.
fn request(index: usize) -> Request<Body> {
    let peer = Ipv4Addr::from_bits(0x0a00_0000 + index as u32);
    let peer = SocketAddr::from((peer, 40_000));
    Request::get("/search?q=tollgate")
        .header("host", "api.example.com")
        .header("user-agent", "bench/1.0")
        .header("accept", "application/json")
        .header(HEADER, format!("user:{index}"))
        .extension(ConnectInfo(peer))
        .body(Body::empty())
        .expect("a request")
}
