//! Whatever bytes come.

use prost::Message as _;
use tollgate_rls::RateLimitUnit;
use tollgate_testkit::Rng;

use super::rig::{Described as _, descriptor, request};
use crate::rls::any_rls_question;

/// Questions with some bytes changed, cut off, put in twice.
// Proves: S2
#[test]
fn any_question_is_answered_or_refused() {
    let mut rng = Rng::new(29);
    let own = descriptor("tenant=acme").limited(3, RateLimitUnit::Year);
    let seeds = [
        request(&[descriptor("path=/login, remote_address=192.0.2.1"), own]),
        request(&[
            descriptor("tenant=a, tenant=b").weighing(0),
            descriptor("method=GET, path=/a/../b"),
        ]),
    ];
    let seeds = seeds.map(|seed| seed.encode_to_vec());
    for _ in 0..60_000 {
        let mut bytes = seeds[rng.index(2)].clone();
        for _ in 0..rng.below(6) {
            let place = rng.index(bytes.len());
            match rng.below(4) {
                0 => bytes[place] = u8::try_from(rng.below(256)).unwrap(),
                1 => bytes.truncate(place.max(1)),
                2 => bytes.insert(place, bytes[place]),
                _ => drop(bytes.remove(place)),
            }
            if bytes.is_empty() {
                break;
            }
        }
        any_rls_question(&bytes);
    }
}
