//! What must not be taken for a request: two readers of the same bytes could see different ones.

// Proves: S1

use tollgate_wire::http1::{Decoded, Decoder, Flaw, HEAD_BYTES_MAX, HEADERS_MAX, Limits};

const LIMITS: Limits =
    Limits { body_bytes_max: 100, short_bytes_max: 10, short_paths: &["/short"] };

fn decode(bytes: &[u8]) -> Result<String, Flaw> {
    let mut decoder = Decoder::new(LIMITS);
    let decoded = decoder.decode(bytes)?;
    Ok(match decoded {
        Decoded::Gathered { .. } => format!("{:?}", decoder.gathered()),
        other => format!("{other:?}"),
    })
}

#[track_caller]
fn refused(text: &str, flaw: Flaw) {
    for byte_by_byte in [false, true] {
        let said = if byte_by_byte {
            let mut decoder = Decoder::new(LIMITS);
            let mut input = Vec::new();
            let fed = text.bytes().find_map(|byte| {
                input.push(byte);
                match decoder.decode(&input) {
                    Ok(Decoded::Partial { taken } | Decoded::Continue { taken }) => {
                        input.drain(..taken);
                        None
                    }
                    Ok(other) => Some(Ok(format!("{other:?}"))),
                    Err(flaw) => Some(Err(flaw)),
                }
            });
            fed.unwrap_or(Ok("more is waited for".to_owned()))
        } else {
            decode(text.as_bytes())
        };
        assert_eq!(said, Err(flaw), "{text:?}");
    }
}

const POST: &str = "POST / HTTP/1.1\r\nHost: a\r\n";

#[test]
fn lengths_that_two_readers_read_differently() {
    for (headers, flaw) in [
        ("Content-Length: 5\r\nContent-Length: 6\r\n", Flaw::Twice("Content-Length")),
        ("Content-Length: 5\r\ncontent-length: 5\r\n", Flaw::Twice("Content-Length")),
        ("Content-Length: 5, 5\r\n", Flaw::Length),
        ("Content-Length: 5,6\r\n", Flaw::Length),
        ("Content-Length: +5\r\n", Flaw::Length),
        ("Content-Length: -5\r\n", Flaw::Length),
        ("Content-Length: 0x5\r\n", Flaw::Length),
        ("Content-Length: 5 5\r\n", Flaw::Length),
        ("Content-Length: 5.0\r\n", Flaw::Length),
        ("Content-Length:\r\n", Flaw::Length),
        ("Content-Length: five\r\n", Flaw::Length),
        ("Content-Length: 18446744073709551621\r\n", Flaw::BodyTooLong { max: 100 }),
        ("Content-Length: 101\r\n", Flaw::BodyTooLong { max: 100 }),
        ("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", Flaw::LengthAndEncoding),
        ("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n", Flaw::LengthAndEncoding),
        (
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            Flaw::Twice("Transfer-Encoding"),
        ),
        (
            "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n",
            Flaw::Twice("Transfer-Encoding"),
        ),
        ("Transfer-Encoding: gzip, chunked\r\n", Flaw::TransferEncoding),
        ("Transfer-Encoding: chunked, identity\r\n", Flaw::TransferEncoding),
        ("Transfer-Encoding: chunked;x\r\n", Flaw::TransferEncoding),
        ("Transfer-Encoding: xchunked\r\n", Flaw::TransferEncoding),
        ("Transfer-Encoding: \"chunked\"\r\n", Flaw::TransferEncoding),
        ("Transfer-Encoding: identity\r\n", Flaw::TransferEncoding),
        ("Transfer-Encoding:\r\n", Flaw::TransferEncoding),
        ("Transfer-Encoding:\u{b}chunked\r\n", Flaw::HeaderValue),
    ] {
        refused(&format!("{POST}{headers}\r\n0\r\n\r\n"), flaw);
    }
    refused("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", Flaw::EncodingTooNew);
}

#[test]
fn lines_that_two_readers_end_differently() {
    for (text, flaw) in [
        ("GET / HTTP/1.1\nHost: a\r\n\r\n", Flaw::BareLf),
        ("GET / HTTP/1.1\r\nHost: a\n\r\n", Flaw::BareLf),
        ("GET / HTTP/1.1\r\nHost: a\r\n\n", Flaw::BareLf),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: b\rY: c\r\n\r\n", Flaw::HeaderValue),
        ("GET / HTTP/1.1\r\nHost: a\r\nX\r: b\r\n\r\n", Flaw::HeaderName),
        ("GET /\r HTTP/1.1\r\nHost: a\r\n\r\n", Flaw::RequestLine),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n", Flaw::HeaderName),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n\tc\r\n\r\n", Flaw::HeaderName),
        ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", Flaw::HeaderName),
        ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", Flaw::HeaderName),
        ("GET / HTTP/1.1\r\nHost\t: a\r\n\r\n", Flaw::HeaderName),
        ("GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", Flaw::HeaderName),
        ("GET / HTTP/1.1\r\nHost: a\r\nnothing\r\n\r\n", Flaw::HeaderName),
        ("GET / HTTP/1.1\r\nHost: a\r\nX(: b\r\n\r\n", Flaw::HeaderName),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n", Flaw::HeaderValue),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: \u{7f}\r\n\r\n", Flaw::HeaderValue),
        ("\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\n", Flaw::BlankLines),
        ("\nGET / HTTP/1.1\r\n", Flaw::BareLf),
        ("\rGET / HTTP/1.1\r\n", Flaw::BareCr),
        (" GET / HTTP/1.1\r\n", Flaw::RequestLine),
    ] {
        refused(text, flaw);
    }
}

#[test]
fn heads_that_are_none_of_ours() {
    for (text, flaw) in [
        ("GET / HTTP/1.1\r\n\r\n", Flaw::HostMissing),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", Flaw::Twice("Host")),
        ("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", Flaw::Host),
        ("GET / HTTP/1.1\r\nHost: a@b/c\r\n\r\n", Flaw::Host),
        ("GET / HTTP/2.0\r\n", Flaw::Version),
        ("GET / HTTP/1.2\r\n", Flaw::Version),
        ("GET / HTTP/0.9\r\n", Flaw::Version),
        ("GET /\r\n", Flaw::RequestLine),
        ("GET / HTTP/1.10\r\n", Flaw::RequestLine),
        ("GET / http/1.1\r\n", Flaw::RequestLine),
        ("GET / HTTP/1.1 \r\n", Flaw::RequestLine),
        ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", Flaw::RequestLine),
        ("GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", Flaw::RequestLine),
        ("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", Flaw::Target),
        ("GET * HTTP/1.1\r\nHost: a\r\n\r\n", Flaw::Target),
        ("PRI * HTTP/2.0\r\n", Flaw::Version),
        ("POST / HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\n\r\n", Flaw::Expectation),
        (
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
            Flaw::ContentEncoding,
        ),
        (
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: br, gzip\r\nContent-Length: 2\r\n\r\n{}",
            Flaw::ContentEncoding,
        ),
        (
            "POST / HTTP/1.1\r\nHost: a\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n",
            Flaw::Twice("Authorization"),
        ),
    ] {
        refused(text, flaw);
    }
}

#[test]
fn heads_that_are_too_long() {
    let head = "GET / HTTP/1.1\r\nHost: a\r\n";
    refused(&format!("GET /{} HTTP/1.1\r\n", "a".repeat(9_000)), Flaw::TargetTooLong);
    refused(&"G".repeat(9_000), Flaw::TargetTooLong);
    refused(&format!("{head}X: {}", "y".repeat(HEAD_BYTES_MAX)), Flaw::HeadTooLong);
    let many = format!("{head}{}\r\n", "X: y\r\n".repeat(HEADERS_MAX));
    refused(&many, Flaw::TooManyHeaders);
    let enough = format!("{head}{}\r\n", "X: y\r\n".repeat(HEADERS_MAX - 1));
    assert!(decode(enough.as_bytes()).is_ok());
    let room = HEAD_BYTES_MAX - head.len() - "X: \r\n\r\n".len();
    let full = format!("{head}X: {}\r\n\r\n", "y".repeat(room));
    assert!(decode(full.as_bytes()).is_ok());
}

#[test]
fn chunks_that_two_readers_read_differently() {
    let head = format!("{POST}Transfer-Encoding: chunked\r\n\r\n");
    for (chunks, flaw) in [
        ("\r\n", Flaw::ChunkSize),
        (";x\r\n", Flaw::ChunkSize),
        ("0x5\r\nhello\r\n", Flaw::ChunkSize),
        ("+5\r\nhello\r\n", Flaw::ChunkSize),
        ("-5\r\n", Flaw::ChunkSize),
        ("5 \r\nhello\r\n", Flaw::ChunkSize),
        (" 5\r\nhello\r\n", Flaw::ChunkSize),
        ("5\nhello\r\n", Flaw::ChunkSize),
        ("5\rhello\r\n", Flaw::BareCr),
        ("5;a\nhello\r\n", Flaw::Extension),
        ("5;a\rb\r\nhello\r\n", Flaw::BareCr),
        ("5\r\nhello!\r\n", Flaw::ChunkEnd),
        ("5\r\nhello\n", Flaw::ChunkEnd),
        ("5\r\nhello\r\r\n", Flaw::ChunkEnd),
        ("00000000000000005\r\nhello\r\n", Flaw::ChunkSize),
        ("10000000000000005\r\nhello\r\n", Flaw::ChunkSize),
        ("ffffffffffffffff\r\n", Flaw::BodyTooLong { max: 100 }),
        ("65\r\n", Flaw::BodyTooLong { max: 100 }),
        ("60\r\n", Flaw::ChunkEnd),
        ("0\r\nX: y\n\r\n", Flaw::Trailer),
        ("0\r\n X: y\r\n\r\n", Flaw::Trailer),
        ("0\r\nX: y\rZ\r\n", Flaw::BareCr),
        ("0\r\n\rX", Flaw::BareCr),
        ("0\r\n\n", Flaw::Trailer),
    ] {
        let text = match flaw {
            Flaw::ChunkEnd if chunks == "60\r\n" => {
                format!("{head}60\r\n{}\r\n5\r\n", "x".repeat(0x60 + 1))
            }
            _ => format!("{head}{chunks}"),
        };
        refused(&text, flaw);
    }
    let two = format!("{head}60\r\n{}\r\n5\r\n", "x".repeat(0x60));
    refused(&two, Flaw::BodyTooLong { max: 100 });
    refused(&format!("{head}5;{}\r\n", "x".repeat(5_000)), Flaw::Extension);
    refused(&format!("{head}0\r\n{}", "X: y\r\n".repeat(2_000)), Flaw::Trailer);
}

#[test]
fn some_paths_take_short_bodies_only() {
    let post = |path: &str, more: &str| format!("POST {path} HTTP/1.1\r\nHost: a\r\n{more}");
    let (fixed, chunked) =
        ("Content-Length: 11\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\nb\r\n");
    for more in [fixed, chunked] {
        for path in ["/short", "http://a/short?x=y"] {
            refused(&post(path, more), Flaw::BodyTooLong { max: 10 });
        }
        for path in ["/shorter", "/short/", "/"] {
            assert!(decode(post(path, more).as_bytes()).is_ok(), "{path}");
        }
    }
    let fits = post("/short", "Content-Length: 10\r\n\r\n0123456789");
    assert!(decode(fits.as_bytes()).is_ok());
}

/// Memory grows with what has arrived, and never beyond what was announced.
#[test]
fn a_body_in_pieces_takes_no_more_memory_than_its_length() {
    let mut decoder = Decoder::new(Limits::default());
    let head = b"POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n";
    assert!(decoder.decode(head).is_ok());
    assert!(decoder.capacity() < 1_000, "{}", decoder.capacity());
    for sent in (0..100_000).step_by(1_000) {
        let before = decoder.capacity();
        assert!(decoder.decode(&[b'x'; 1_000]).is_ok());
        let (now, arrived) = (decoder.capacity(), sent + 1_000);
        assert!(now <= before + before.max(1_000), "{before} to {now}");
        assert!((arrived..=100_000 + head.len()).contains(&now), "{now}");
    }
}

#[test]
fn every_flaw_has_its_status() {
    for (flaw, status) in [
        (Flaw::BareLf, 400),
        (Flaw::BodyTooLong { max: 1 }, 413),
        (Flaw::TargetTooLong, 414),
        (Flaw::ContentEncoding, 415),
        (Flaw::Expectation, 417),
        (Flaw::HeadTooLong, 431),
        (Flaw::TooManyHeaders, 431),
        (Flaw::TransferEncoding, 501),
        (Flaw::Version, 505),
    ] {
        assert_eq!(flaw.status(), status);
    }
}
