//! Answers as clients read them.

use super::{After, AnswerDecoder, AnswerFlaw, Answered, HEAD_BYTES_MAX};

/// Status, body, and how many callers there are.
type Seen = (u16, Vec<u8>, Option<u32>);

/// Everything that comes out of these bytes, shown in slices of this size.
fn all(bytes: &[u8], slice: usize) -> Result<Vec<Seen>, AnswerFlaw> {
    let mut decoder = AnswerDecoder::new(1_000);
    let (mut found, mut waiting) = (Vec::new(), Vec::new());
    for piece in bytes.chunks(slice) {
        waiting.extend_from_slice(piece);
        loop {
            let (taken, is_whole) = match decoder.decode(&waiting)? {
                Answered::Partial { taken } => (taken, false),
                Answered::Whole(answer) => {
                    found.push((answer.status, answer.body.to_vec(), answer.callers));
                    (answer.taken, true)
                }
            };
            waiting.drain(..taken);
            if taken == 0 && !is_whole {
                break;
            }
        }
    }
    assert!(waiting.is_empty(), "left: {waiting:?}");
    Ok(found)
}

// Proves: U4
#[test]
fn answers_are_read_however_they_are_cut() {
    let bytes = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTollgate-Callers: 3\r\nContent-Length: 4\r\n\r\n{\"a\"\
        HTTP/1.1 429 Too Many Requests\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\n\r\n\
        HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 500 Oh\r\ncontent-length:0\r\n\r\n";
    let expected = vec![
        (200, b"{\"a\"".to_vec(), Some(3)),
        (429, b"abc".to_vec(), None),
        (204, Vec::new(), None),
        (500, Vec::new(), None),
    ];
    for slice in [1, 2, 3, 7, 64, bytes.len()] {
        assert_eq!(all(bytes, slice), Ok(expected.clone()), "{slice}");
    }
}

#[test]
fn what_is_no_answer_is_called_that() {
    for (bytes, flaw) in [
        (&b"+OK\r\n"[..], AnswerFlaw::NotHttp),
        (b"\x15\x03\x01\x00\x02", AnswerFlaw::NotHttp),
        (b"HTTP/1.1 200 OK\r\n\r\n", AnswerFlaw::Framing),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", AnswerFlaw::Framing),
        (b"HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n", AnswerFlaw::Framing),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            AnswerFlaw::Framing,
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n",
            AnswerFlaw::BodyTooLong { max: 1_000 },
        ),
    ] {
        assert_eq!(all(bytes, bytes.len()), Err(flaw));
    }
    let long = [&b"HTTP/1.1 200 OK\r\nA: "[..], &[b'a'; HEAD_BYTES_MAX]].concat();
    assert_eq!(all(&long, 1_000), Err(AnswerFlaw::HeadTooLong));
}

#[test]
fn a_connection_that_ends_says_so() {
    let after = |bytes: &[u8]| match AnswerDecoder::new(9).decode(bytes) {
        Ok(Answered::Whole(answer)) => answer.after,
        other => panic!("{other:?}"),
    };
    let keep = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let close = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: x, Close\r\n\r\n";
    let old = b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n";
    assert_eq!((after(keep), after(close), after(old)), (After::Keep, After::Close, After::Close));
}
