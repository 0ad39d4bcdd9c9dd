//! Requests that are served, however they are cut: random pipelines against what they were made of.

// Proves: S1

use tollgate_testkit::Rng;
use tollgate_wire::http1::{
    After, Asker, Decoded, Decoder, Limits, Passage, Request, Version, Wanted,
};

/// What was sent, and must be read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sent {
    method: String,
    path: String,
    query: Option<String>,
    version: Version,
    after: After,
    wanted: Wanted,
    asker: Asker,
    passage: Passage,
    content_type: Option<String>,
    token: Option<String>,
    body: String,
    is_expecting: bool,
}

fn any(rng: &mut Rng) -> Sent {
    let version = if rng.one_in(4) { Version::Http10 } else { Version::Http11 };
    let body = "x\r\n".repeat(rng.index(20));
    Sent {
        method: rng.pick(&["GET", "POST", "HEAD", "PUT", "X-!"]).to_owned(),
        path: rng.pick(&["/", "/a/b", "/%20;c"]).to_owned(),
        query: rng.one_in(3).then(|| "a=b&c".to_owned()),
        version,
        after: if rng.one_in(2) { After::Keep } else { After::Close },
        wanted: if rng.one_in(3) { Wanted::Problem } else { Wanted::Any },
        asker: if rng.one_in(3) { Asker::Page } else { Asker::Program },
        passage: if rng.one_in(3) { Passage::Proxied } else { Passage::Direct },
        content_type: rng.one_in(2).then(|| "application/json".to_owned()),
        token: rng.one_in(3).then(|| "s3cret".to_owned()),
        is_expecting: version == Version::Http11 && !body.is_empty() && rng.one_in(4),
        body,
    }
}

/// What tells of who sent it.
fn sender(sent: &Sent, rng: &mut Rng, lines: &mut Vec<String>) {
    if sent.asker == Asker::Page {
        let line = rng.pick(&["Origin: null", "oRigin:", "Sec-Fetch-Site: cross-site"]);
        lines.push(line.to_owned());
    } else if rng.one_in(3) {
        lines.push("Sec-Fetch-Site: none".to_owned());
    }
    let passage = match sent.passage {
        Passage::Proxied => rng.pick(&[
            "X-Forwarded-For: 192.0.2.1",
            "x-forwarded-proto: https",
            "X-FORWARDED-:",
            "Forwarded: for=a",
            "X-Real-IP: a",
            "via: 1.1 a",
        ]),
        Passage::Direct => rng.pick(&["X-Forwarded: a", "X-Forward-For: a", "Vial: a", "X: a"]),
    };
    lines.push(passage.to_owned());
}

/// One of the ways to send it.
fn write(sent: &Sent, rng: &mut Rng, out: &mut Vec<u8>) {
    let mut lines = Vec::new();
    if rng.one_in(4) {
        out.extend_from_slice(b"\r\n");
    }
    let origin = match &sent.query {
        Some(query) => format!("{}?{query}", sent.path),
        None => sent.path.clone(),
    };
    let target = if rng.one_in(4) { format!("http://a{origin}") } else { origin };
    let version = match sent.version {
        Version::Http10 => "HTTP/1.0",
        Version::Http11 => "HTTP/1.1",
    };
    match (sent.version, sent.after) {
        (_, After::Close) if sent.version == Version::Http11 || rng.one_in(2) => {
            lines.push("cOnnection: x, Close".to_owned());
        }
        (Version::Http10, After::Keep) => lines.push("Connection:keep-alive".to_owned()),
        _ => {}
    }
    if sent.version == Version::Http11 || rng.one_in(2) {
        lines.push("HOST: a:80".to_owned());
    }
    if sent.wanted == Wanted::Problem {
        lines.push("Accept: */*".to_owned());
        lines.push("Accept: text/html;q=0.1 , Application/Problem+json".to_owned());
    }
    sender(sent, rng, &mut lines);
    if let Some(kind) = &sent.content_type {
        lines.push(format!("Content-type:\t{kind}  "));
    }
    if let Some(token) = &sent.token {
        lines.push(format!("Authorization: Bearer {token}"));
    }
    if sent.is_expecting {
        lines.push("Expect: 100-Continue".to_owned());
    }
    let is_chunked = sent.version == Version::Http11 && rng.one_in(3);
    if is_chunked {
        lines.push("Transfer-Encoding: chunked".to_owned());
    } else if !sent.body.is_empty() || rng.one_in(2) {
        lines.push(format!("Content-Length: {}", sent.body.len()));
    }
    for place in (1..lines.len()).rev() {
        lines.swap(place, rng.index(place + 1));
    }
    let head = format!("{} {target} {version}\r\n{}\r\n\r\n", sent.method, lines.join("\r\n"));
    let head = head.replace("\r\n\r\n\r\n", "\r\n\r\n");
    out.extend_from_slice(head.as_bytes());
    if is_chunked {
        chunk(&sent.body, rng, out);
    } else {
        out.extend_from_slice(sent.body.as_bytes());
    }
}

fn chunk(body: &str, rng: &mut Rng, out: &mut Vec<u8>) {
    let mut rest = body;
    while !rest.is_empty() {
        let (piece, left) = rest.split_at(rng.index(rest.len()) + 1);
        let extension = rng.pick(&["", ";a", ";a=\"b;c\""]);
        out.extend_from_slice(format!("{:03X}{extension}\r\n{piece}\r\n", piece.len()).as_bytes());
        rest = left;
    }
    out.extend_from_slice(
        rng.pick(&["0\r\n\r\n", "000\r\nA: b\r\nC:\r\n\r\n", "0;x\r\n\r\n"]).as_bytes(),
    );
}

/// Feeds pieces of random sizes, up to so many bytes.
fn read(bytes: &[u8], piece_max: usize, rng: &mut Rng) -> Vec<Sent> {
    let mut decoder = Decoder::new(Limits::default());
    let (mut input, mut rest) = (Vec::new(), bytes);
    let (mut read, mut is_expecting) = (Vec::new(), false);
    loop {
        let taken = match decoder.decode(&input).unwrap() {
            Decoded::Partial { taken } => {
                input.drain(..taken);
                if rest.is_empty() {
                    assert!(input.is_empty() && decoder.is_idle());
                    return read;
                }
                let (piece, left) = rest.split_at(rng.index(piece_max.min(rest.len())) + 1);
                input.extend_from_slice(piece);
                rest = left;
                continue;
            }
            Decoded::Continue { taken } => {
                is_expecting = true;
                taken
            }
            Decoded::Whole { request, taken } => {
                read.push(seen(request));
                taken
            }
            Decoded::Gathered { taken } => {
                read.push(Sent {
                    is_expecting: std::mem::take(&mut is_expecting),
                    ..seen(decoder.gathered().unwrap())
                });
                taken
            }
        };
        input.drain(..taken);
    }
}

fn seen(request: Request<'_>) -> Sent {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    Sent {
        method: request.method.to_owned(),
        path: request.path.to_owned(),
        query: request.query.map(str::to_owned),
        version: request.version,
        after: request.after,
        wanted: request.wanted,
        asker: request.asker,
        passage: request.passage,
        content_type: request.content_type.map(text),
        token: request.bearer().map(str::to_owned),
        body: text(request.body),
        is_expecting: false,
    }
}

#[test]
fn what_was_sent_is_read_however_it_was_cut() {
    let mut rng = Rng::new(7);
    for round in 0..2_000 {
        let mut bytes = Vec::new();
        let sent: Vec<Sent> = (0..=rng.index(6)).map(|_| any(&mut rng)).collect();
        for one in &sent {
            write(one, &mut rng, &mut bytes);
        }
        for piece_max in [1, 7, 100, 100_000] {
            let read = read(&bytes, piece_max, &mut rng);
            assert_eq!(read, sent, "round {round}, pieces up to {piece_max}");
        }
    }
}

#[test]
fn a_pipeline_of_thousands_is_read_in_order() {
    let mut rng = Rng::new(8);
    let sent: Vec<Sent> = (0..5_000).map(|_| any(&mut rng)).collect();
    let mut bytes = Vec::new();
    for one in &sent {
        write(one, &mut rng, &mut bytes);
    }
    assert_eq!(read(&bytes, 4_096, &mut rng), sent);
}

/// A body of a mebibyte that dribbles in costs what it weighs, not its square: this would take hours.
#[test]
fn a_dribbling_body_is_not_read_again_and_again() {
    let mut decoder = Decoder::new(Limits::default());
    let head = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    assert_eq!(decoder.decode(head), Ok(Decoded::Partial { taken: head.len() }));
    for _ in 0..1 << 20 {
        assert_eq!(decoder.decode(b"1\r\nx"), Ok(Decoded::Partial { taken: 4 }));
        assert_eq!(decoder.decode(b"\r\n"), Ok(Decoded::Partial { taken: 2 }));
    }
    assert_eq!(decoder.decode(b"0\r\n\r\n"), Ok(Decoded::Gathered { taken: 5 }));
    assert_eq!(decoder.gathered().unwrap().body.len(), 1 << 20);
}
