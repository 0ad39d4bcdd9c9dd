//! The fuzz targets as property tests: random bytes, near-valid texts, and mutations of valid ones.

use tollgate_core::Limit;
use tollgate_rules::normalise::Path;
use tollgate_testkit::{Rng, fuzz};

const AMOUNTS: [&str; 16] = [
    "0",
    "1",
    "007",
    "100",
    "1000003",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "+5",
    "-5",
    " 5",
    "5 ",
    "5_000",
    "1e3",
    "٣",
    "",
];
const COUNTS: [&str; 10] =
    ["", "1", "0", "5", "030", "60", "104249", "9007199254", "18446744073709551616", "-1"];
const UNITS: [&str; 18] = [
    "ms", "s", "min", "h", "day", "week", "month", "sec", "m", "hours", "d", "MIN", "mon", "µs",
    " s", "s ", "\0", "",
];
const SLASHES: [&str; 6] = ["/", "//", "", " / ", "\u{2215}", "/ "];

/// Text that is almost a limit, and now and then is one.
fn near_valid(rng: &mut Rng) -> String {
    let slash = if rng.one_in(4) { rng.pick(&SLASHES) } else { "/" };
    let (amount, count, unit) = (rng.pick(&AMOUNTS), rng.pick(&COUNTS), rng.pick(&UNITS));
    let tail = if rng.one_in(20) { "x".repeat(70) } else { String::new() };
    format!("{amount}{slash}{count}{unit}{tail}")
}

fn any_byte(rng: &mut Rng) -> u8 {
    rng.word().to_le_bytes()[0]
}

fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..=rng.below(3) {
        let byte = any_byte(rng);
        let place = rng.index(bytes.len() + 1);
        match rng.below(4) {
            0 => bytes.insert(place, byte),
            1 => drop(bytes.splice(place.., [byte])),
            2 => bytes.iter_mut().skip(place).take(1).for_each(|old| *old ^= 1 << (byte % 8)),
            3 if place < bytes.len() => drop(bytes.remove(place)),
            _ => bytes.extend_from_within(..),
        }
    }
}

// Proves: D2
#[test]
fn near_valid_limits_are_read_or_refused_in_words() {
    let mut rng = Rng::new(1);
    let mut read = 0;
    for _ in 0..150_000 {
        let text = near_valid(&mut rng);
        read += u32::from(text.parse::<Limit>().is_ok());
        fuzz::limit_text(text.as_bytes());
    }
    assert!(read > 5_000, "only {read} were limits");
}

#[test]
fn mutated_limits_are_read_or_refused_in_words() {
    let mut rng = Rng::new(2);
    for _ in 0..150_000 {
        let mut bytes = near_valid(&mut rng).into_bytes();
        mutate(&mut rng, &mut bytes);
        fuzz::limit_text(&bytes);
    }
}

#[test]
fn arbitrary_bytes_are_read_or_refused_in_words() {
    let mut rng = Rng::new(3);
    for _ in 0..100_000 {
        let len = rng.below(80);
        let bytes: Vec<u8> = (0..len).map(|_| any_byte(&mut rng)).collect();
        fuzz::limit_text(&bytes);
    }
    // What takes the most room in a message.
    for byte in 0..=u8::MAX {
        for len in [1, 31, 63, 64, 65, 10_000] {
            fuzz::limit_text(&vec![byte; len]);
            let mut with_slash = vec![byte; len];
            with_slash[len / 2] = b'/';
            fuzz::limit_text(&with_slash);
            let mut after_amount = b"1/".to_vec();
            after_amount.resize(len + 2, byte);
            fuzz::limit_text(&after_amount);
        }
    }
}

const PATH_PIECES: [&str; 28] = [
    "/", "//", "/.", "/..", "api", "%2e", "%2F", "%41", "%c3%a9", "é", "%C3", "%00", "%", "%4",
    ";x", "?q", "#f", "{id}", "*", "**", " ", "\\", "~", "\u{2028}", "/..;", "/;", "//..", "#/",
];

fn near_path(rng: &mut Rng) -> String {
    let pieces: String = (0..rng.below(12)).map(|_| rng.pick(&PATH_PIECES)).collect();
    format!("/{pieces}")
}

// Proves: R1
#[test]
fn near_paths_are_read_or_refused_in_words() {
    let mut rng = Rng::new(4);
    let mut read = 0;
    for _ in 0..100_000 {
        let text = near_path(&mut rng);
        read += u32::from(Path::new(&text).is_ok());
        fuzz::path(text.as_bytes());
    }
    assert!(read > 5_000, "only {read} were paths");
}

#[test]
fn mutated_paths_and_arbitrary_bytes_are_read_or_refused_in_words() {
    let mut rng = Rng::new(5);
    for _ in 0..100_000 {
        let mut bytes = near_path(&mut rng).into_bytes();
        mutate(&mut rng, &mut bytes);
        fuzz::path(&bytes);
        let len = rng.below(60);
        let mut bytes: Vec<u8> = (0..len).map(|_| any_byte(&mut rng)).collect();
        bytes.insert(0, b'/');
        fuzz::path(&bytes);
    }
}

const FORWARDED_PIECES: [&str; 24] = [
    "192.0.2.9",
    "10.0.0.2",
    "::1",
    "[2001:db8::1]",
    ":80",
    ",",
    ", ",
    ";",
    "for=",
    "For = ",
    "by=",
    "proto=http",
    "\"",
    "\\",
    "\\\"",
    "unknown",
    "_hidden",
    " ",
    "\t",
    "=",
    "é",
    "\u{a0}",
    "0",
    "%",
];

fn near_forwarded(rng: &mut Rng) -> String {
    (0..rng.below(12)).map(|_| rng.pick(&FORWARDED_PIECES)).collect()
}

// Proves: I4
#[test]
fn whatever_a_client_writes_before_the_proxy_it_stays_itself() {
    let mut rng = Rng::new(6);
    for _ in 0..100_000 {
        let mut bytes = near_forwarded(&mut rng).into_bytes();
        fuzz::forwarded(&bytes);
        fuzz::address(&bytes);
        mutate(&mut rng, &mut bytes);
        fuzz::forwarded(&bytes);
        fuzz::address(&bytes);
    }
}
