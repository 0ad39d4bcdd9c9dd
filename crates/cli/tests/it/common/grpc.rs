//! gRPC in so few bytes that a thousand clients need nothing but sockets.

use std::io::{Read, Write};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// All that a client sends who opens a connection and asks about one user, by Envoy's protocol.
pub(crate) fn opening(user: &str) -> Vec<u8> {
    let mut bytes = PREFACE.to_vec();
    frame(SETTINGS, 0, 0, b"", &mut bytes);
    frame(HEADERS, END_HEADERS, 1, &head(), &mut bytes);
    let entry = [field(1, b"user_id"), field(2, user.as_bytes())].concat();
    let descriptor = field(1, &entry);
    let message = [field(1, b"crowd"), field(2, &descriptor)].concat();
    let mut body = vec![0, 0, 0, 0, u8::try_from(message.len()).unwrap()];
    body.extend_from_slice(&message);
    frame(DATA, END_STREAM, 1, &body, &mut bytes);
    bytes
}

/// A connection with a call that sends `sent` bytes of a message that is longer. They must fit the first window.
pub(crate) fn unfinished(sent: usize) -> Vec<u8> {
    const FRAME_BYTES_MAX: usize = 16 << 10;
    let mut bytes = PREFACE.to_vec();
    frame(SETTINGS, 0, 0, b"", &mut bytes);
    let mut body = vec![0, 0, 16, 0, 0];
    body.resize(sent, 0);
    frame(HEADERS, END_HEADERS, 1, &head(), &mut bytes);
    for piece in body.chunks(FRAME_BYTES_MAX) {
        frame(DATA, 0, 1, piece, &mut bytes);
    }
    bytes
}

fn head() -> Vec<u8> {
    let path = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
    let mut head = Vec::new();
    for (name, value) in [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", path),
        (":authority", "tollgate"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ] {
        // A literal that nobody remembers.
        head.push(0);
        for text in [name, value] {
            head.push(u8::try_from(text.len()).unwrap());
            head.extend_from_slice(text.as_bytes());
        }
    }
    head
}

/// Whether the answer says that it may pass.
pub(crate) fn is_allowed(stream: &mut impl Read) -> bool {
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).unwrap();
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; length.try_into().unwrap()];
        stream.read_exact(&mut payload).unwrap();
        if head[3] == DATA {
            // After the five bytes of gRPC's frame comes the overall code.
            return match payload[5..7] {
                [8, 1] => true,
                [8, 2] => false,
                _ => panic!("{payload:?}"),
            };
        }
        let is_end = head[3] == HEADERS && head[4] & END_STREAM == END_STREAM;
        assert!(!is_end, "no answer: {payload:?}");
    }
}

/// Opens a connection, asks and hears.
pub(crate) fn asks(mut stream: impl Read + Write, user: &str) -> bool {
    stream.write_all(&opening(user)).unwrap();
    is_allowed(&mut stream)
}

fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8], out: &mut Vec<u8>) {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    out.extend_from_slice(&length[1..]);
    out.extend_from_slice(&[kind, flags, 0, 0, 0, stream]);
    out.extend_from_slice(payload);
}

/// A field of bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![(number << 3) | 2, u8::try_from(bytes.len()).unwrap()];
    field.extend_from_slice(bytes);
    field
}
