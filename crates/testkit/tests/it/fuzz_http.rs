//! The fuzz targets about HTTP as property tests.

use tollgate_testkit::{Rng, fuzz};

const LINES: [&str; 40] = [
    "GET / HTTP/1.1\r\n",
    "POST /ratelimit/check?status=200 HTTP/1.1\r\n",
    "OPTIONS * HTTP/1.1\r\n",
    "GET http://a/b HTTP/1.0\r\n",
    "GET / HTTP/2.0\r\n",
    "GET  / HTTP/1.1\r\n",
    "get / http/1.1\r\n",
    "Host: a\r\n",
    "Host: a\r\n",
    "Host: a b\r\n",
    "Content-Length: 5\r\n",
    "Content-Length: 5\r\n",
    "Content-Length: 005\r\n",
    "Content-Length: +5\r\n",
    "Content-Length: 99999999999999999999999\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: Chunked\r\n",
    "Transfer-Encoding: gzip, chunked\r\n",
    "Transfer-Encoding : chunked\r\n",
    "Expect: 100-continue\r\n",
    "Expect: cake\r\n",
    "Connection: close\r\n",
    "Connection: keep-alive, x\r\n",
    "Accept: application/problem+json;q=0.1\r\n",
    "Content-Type: application/json\r\n",
    "X: \u{e9}\r\n",
    " folded\r\n",
    "X: y\n",
    "X: a\rb\r\n",
    "\r\n",
    "\r\n",
    "\r\n",
    "5\r\nhello\r\n",
    "0\r\n\r\n",
    "0\r\nX: y\r\n\r\n",
    "3;a=\"b\"\r\nabc\r\n",
    "5;\r\nhello",
    "ffffffffffffffffff\r\n",
    "hello",
    "\r",
];

fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..rng.below(3) {
        let place = rng.index(bytes.len() + 1);
        let byte = rng.word().to_le_bytes()[0];
        match rng.below(3) {
            0 => bytes.insert(place, byte),
            1 if place < bytes.len() => drop(bytes.remove(place)),
            _ => bytes.iter_mut().skip(place).take(1).for_each(|old| *old ^= 1 << (byte % 8)),
        }
    }
}

// Proves: S1
#[test]
fn conversations_do_not_depend_on_how_they_are_cut() {
    let mut rng = Rng::new(41);
    for _ in 0..60_000 {
        let count = rng.below(12);
        let lines = (0..count).map(|_| rng.pick(&LINES));
        let mut bytes = lines.collect::<String>().into_bytes();
        if rng.one_in(2) {
            bytes.splice(0..0, *b"POST / HTTP/1.1\r\nHost: a\r\n");
        }
        if rng.one_in(3) {
            mutate(&mut rng, &mut bytes);
        }
        fuzz::http1(&bytes);
    }
}

#[test]
fn the_bounds_do_not_depend_on_how_they_are_met() {
    let head = "GET / HTTP/1.1\r\nHost: a\r\n";
    for length in [8_100, 8_192, 8_260, 16_300, 16_380, 16_384, 16_400, 20_000] {
        let long = "x".repeat(length);
        fuzz::http1(long.as_bytes());
        fuzz::http1(format!("GET /{long} HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes());
        fuzz::http1(format!("{head}X: {long}\r\n\r\n").as_bytes());
        let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
        fuzz::http1(format!("{chunked}1;{long}\r\nx\r\n0\r\n\r\n").as_bytes());
        fuzz::http1(format!("{chunked}0\r\nX: {long}\r\n\r\n").as_bytes());
    }
    for count in [62, 63, 64, 65] {
        fuzz::http1(format!("{head}{}\r\n", "X: y\r\n".repeat(count)).as_bytes());
    }
}

const PIECES: [&str; 46] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "{",
    "}",
    " ",
    "\n",
    "null",
    "true",
    "0",
    "1",
    "-1",
    "1.5",
    "1e9",
    "18446744073709551616",
    "\"\"",
    "\"a\"",
    "\"\\u0041\"",
    "\"\\ud83d\\ude00\"",
    "\"\\ud83d\"",
    "\"\\x\"",
    "\"é\"",
    "\"a\nb\"",
    "\"user_id\":",
    "\"user_id\":\"ann\"",
    "\"user\":1",
    "\"cost\":1",
    "\"cost\":",
    "\"attributes\":{\"a\":\"b\"}",
    "\"attributes\":",
    "\"ip\":\"::1\"",
    "\"request_id\":\"r\"",
    "\"rule\":\"x\"",
    "\"requests\":[",
    "\"requests\":",
    "\"requests\":[{\"user_id\":\"ann\"},{\"cost\":1}]",
    "{\"tier\":\"free\"}",
    "[[[[[[[[[[[[[[[[[[",
    "{\"a\":{\"a\":",
    "\"",
    "\\",
    "\u{feff}",
    "\0",
];

// Proves: S1
#[test]
fn bodies_are_understood_or_refused_in_words() {
    let mut rng = Rng::new(42);
    for _ in 0..150_000 {
        let count = rng.below(10);
        let text: String = (0..count).map(|_| rng.pick(&PIECES)).collect();
        let mut bytes = match rng.below(3) {
            0 => text.into_bytes(),
            1 => format!("{{{text}}}").into_bytes(),
            _ => format!("{{\"requests\":[{{{text}}}]}}").into_bytes(),
        };
        if rng.one_in(4) {
            mutate(&mut rng, &mut bytes);
        }
        fuzz::check_json(&bytes);
    }
}
