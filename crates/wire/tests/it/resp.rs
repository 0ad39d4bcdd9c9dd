//! The decoder of the Redis protocol against the model: random, near-valid and hostile streams.
// Proves: S3

use tollgate_testkit::{
    Rng,
    resp::{ModelEnd, any_bytes, decoded, model},
};
use tollgate_wire::resp::{
    ARGS_MAX, BULK_BYTES_MAX, Decoded, Decoder, FRAME_BYTES_MAX, INLINE_BYTES_MAX, ProtocolError,
};

const WORDS: [&[u8]; 12] = [
    b"PING",
    b"TG.CHECK",
    b"user_id",
    b"alice",
    b"",
    b"\r\n",
    b"$4\r\n",
    b"*1\r\n",
    b"\xff\x00",
    b"a b",
    b"\"",
    b"'",
];
const TYPED: [&[u8]; 14] = [
    b"ping",
    b" ",
    b"  ",
    b"\t",
    b"\"a b\"",
    b"'a b'",
    b"\"\\x41\\n\\q\"",
    b"'\\''",
    b"a\"b\"",
    b"\"a\"b",
    b"\"",
    b"'",
    b"\\",
    b"\"\\x4\"",
];
const BROKEN: [&[u8]; 16] = [
    b"*1000000000\r\n",
    b"*1025\r\n",
    b"*-5\r\n",
    b"*0\r\n",
    b"*-1\r\n",
    b"*\r\n",
    b"*+1\r\n",
    b"*01\r\n",
    b"*1\r\n$2147483647\r\n",
    b"*1\r\n$-1\r\n",
    b"*1\r\n$65537\r\n",
    b"*1\r\n*1\r\n",
    b"*1\r\n:1\r\n",
    b"*1\r\n$1\r\nab\r\n",
    b"*1\n$1\na\n",
    b"\r\n",
];

fn command(rng: &mut Rng, stream: &mut Vec<u8>) {
    let count = 1 + rng.index(5);
    stream.extend(format!("*{count}\r\n").bytes());
    for _ in 0..count {
        let word = rng.pick(&WORDS);
        stream.extend(format!("${}\r\n", word.len()).bytes());
        stream.extend_from_slice(word);
        stream.extend_from_slice(b"\r\n");
    }
}

fn stream(rng: &mut Rng) -> Vec<u8> {
    let mut stream = Vec::new();
    for _ in 0..rng.index(5) {
        match rng.below(8) {
            0 => stream.extend_from_slice(rng.pick(&BROKEN)),
            1 | 2 => {
                for _ in 0..rng.index(5) {
                    stream.extend_from_slice(rng.pick(&TYPED));
                }
                stream.extend_from_slice(rng.pick(&[&b"\r\n"[..], b"\n"]));
            }
            _ => command(rng, &mut stream),
        }
    }
    stream
}

fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..=rng.below(2) {
        let place = rng.index(bytes.len() + 1);
        let byte = rng.pick(b"*$:-+0129\r\n\"'\\ x\xff");
        match rng.below(4) {
            0 => bytes.insert(place, byte),
            1 => bytes.truncate(place),
            2 => bytes.iter_mut().skip(place).take(1).for_each(|old| *old = byte),
            3 if place < bytes.len() => drop(bytes.remove(place)),
            _ => bytes.extend_from_within(..),
        }
    }
}

#[test]
fn streams_that_are_valid_nearly_valid_or_neither() {
    let mut rng = Rng::new(11);
    let (mut whole, mut broken) = (0, 0);
    for _ in 0..60_000 {
        let mut stream = stream(&mut rng);
        if rng.one_in(2) {
            mutate(&mut rng, &mut stream);
        }
        any_bytes(&stream);
        match model(&stream).1 {
            ModelEnd::Unfinished(0) => whole += 1,
            ModelEnd::Broken(_) => broken += 1,
            ModelEnd::Unfinished(_) => {}
        }
    }
    assert!(whole > 10_000 && broken > 10_000, "{whole} {broken}");
}

#[test]
fn random_bytes() {
    let mut rng = Rng::new(12);
    for _ in 0..20_000 {
        let length = rng.index(64);
        let bytes: Vec<u8> = (0..length).map(|_| rng.word().to_le_bytes()[0]).collect();
        any_bytes(&bytes);
    }
}

#[test]
fn every_split_of_a_stream_gives_the_same_commands() {
    let mut rng = Rng::new(13);
    for _ in 0..300 {
        let stream = stream(&mut rng);
        let expected = model(&stream);
        for split in 0..=stream.len() {
            let (one, two) = stream.split_at(split);
            assert_eq!(decoded([one, two]), expected, "{stream:?} at {split}");
        }
    }
}

fn first(stream: &[u8]) -> Result<usize, ProtocolError> {
    match Decoder::new().decode(stream)? {
        Decoded::Command(command) => Ok(command.args_len() + 1),
        Decoded::Empty { .. } | Decoded::Unfinished => Ok(0),
    }
}

#[test]
fn the_largest_of_each_passes_and_one_more_does_not() {
    let words = |count: usize| format!("*{count}\r\n{}", "$1\r\na\r\n".repeat(count));
    assert_eq!(first(words(ARGS_MAX).as_bytes()), Ok(ARGS_MAX));
    let error = first(words(ARGS_MAX + 1).as_bytes());
    assert_eq!(error, Err(ProtocolError::ArgumentCount));

    let word = |bytes: usize| format!("*1\r\n${bytes}\r\n{}\r\n", "a".repeat(bytes));
    assert_eq!(first(word(BULK_BYTES_MAX).as_bytes()), Ok(1));
    let error = first(word(BULK_BYTES_MAX + 1).as_bytes());
    assert_eq!(error, Err(ProtocolError::BulkLength));

    let line = |bytes: usize| format!("{}\n", "a".repeat(bytes));
    assert_eq!(first(line(INLINE_BYTES_MAX).as_bytes()), Ok(1));
    let error = Err(ProtocolError::InlineTooLong);
    assert_eq!(first(line(INLINE_BYTES_MAX + 1).as_bytes()), error);
    assert_eq!(first("a".repeat(INLINE_BYTES_MAX + 1).as_bytes()), error);
    let typed = |count: usize| format!("{}\n", "a ".repeat(count));
    assert_eq!(first(typed(ARGS_MAX).as_bytes()), Ok(ARGS_MAX));
    let error = first(typed(ARGS_MAX + 1).as_bytes());
    assert_eq!(error, Err(ProtocolError::ArgumentCount));
}

/// A command as a whole is refused once its lengths promise too much, before their bytes are there.
#[test]
fn a_long_command_is_refused_before_it_arrives() {
    let word = format!("${BULK_BYTES_MAX}\r\n{}\r\n", "a".repeat(BULK_BYTES_MAX));
    let fit = FRAME_BYTES_MAX / word.len();
    let mut stream = format!("*100\r\n{}", word.repeat(fit));
    assert!(stream.len() < FRAME_BYTES_MAX);
    assert_eq!(first(stream.as_bytes()), Ok(0));
    stream += &format!("${BULK_BYTES_MAX}\r\n");
    assert_eq!(first(stream.as_bytes()), Err(ProtocolError::TooLong));
    any_bytes(stream.as_bytes());
}

/// A megabyte that arrives byte by byte is not read again and again: this takes a moment, not minutes.
#[test]
fn slow_arrival_costs_no_more() {
    let word = format!("${BULK_BYTES_MAX}\r\n{}\r\n", "a".repeat(BULK_BYTES_MAX));
    let stream = format!("*15\r\n{}", word.repeat(15));
    let typed = format!("{}\n", "a".repeat(INLINE_BYTES_MAX));
    for stream in [stream, typed] {
        let mut decoder = Decoder::new();
        let is_whole = |decoded: Decoded<'_, '_>| matches!(decoded, Decoded::Command(_));
        for end in 1..stream.len() {
            let decoded = decoder.decode(&stream.as_bytes()[..end]).unwrap();
            assert!(!is_whole(decoded), "{end}");
        }
        assert!(is_whole(decoder.decode(stream.as_bytes()).unwrap()));
    }
}
