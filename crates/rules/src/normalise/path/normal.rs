//! The thorough look: whether a path is in normal form already, in one pass and without a copy.

use super::letter::{self, Braces, is_plain};

/// What a byte of a path means to this check.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    /// A letter that stays as it is.
    Plain,
    /// Parts two segments.
    Slash,
    /// Begins an escape.
    Percent,
    /// The path ends before it.
    End,
    /// Whatever is not in a normal path.
    Other,
}

const CLASSES: [Class; 256] = classes();

#[expect(
    clippy::indexing_slicing,
    reason = "256 places, and a constant: a wrong index does not compile"
)]
const fn classes() -> [Class; 256] {
    let mut classes = [Class::Other; 256];
    let mut byte = 0_u8;
    while byte < 0x7f {
        classes[byte as usize] = match byte {
            b'/' => Class::Slash,
            b'%' => Class::Percent,
            b'?' => Class::End,
            // Rare enough to be left to the one place that knows what may follow them.
            b';' | b'#' => Class::Other,
            byte if is_plain(byte) => Class::Plain,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
}

fn class(byte: u8) -> Class {
    let class = CLASSES.get(usize::from(byte)).copied();
    class.unwrap_or(Class::Other)
}

/// The part of `text` that is its normal form, if one is: all of it but for the query and a slash at
/// the end.
pub(super) fn prefix(text: &str) -> Option<&str> {
    let bytes = text.strip_prefix('/')?.as_bytes();
    let (mut segment, mut at) = (0, 0);
    loop {
        let rest = bytes.get(at..)?;
        let plain = rest.iter().position(|&byte| class(byte) != Class::Plain);
        at += plain.unwrap_or(rest.len());
        match bytes.get(at).map(|&byte| class(byte)) {
            Some(Class::Slash) => {
                if is_dropped(bytes.get(segment..at)?) {
                    return None;
                }
                at += 1;
                segment = at;
            }
            Some(Class::Percent) => at += normal_escapes(text.get(at + 1..)?)?,
            Some(Class::Other) => return None,
            Some(Class::End | Class::Plain) | None => break,
        }
    }
    // `at` and `segment` count from behind the first slash, so `text[..segment]` lacks the slash
    // before the last segment.
    match bytes.get(segment..at)? {
        [] => text.get(..segment.max(1)),
        last if is_dropped(last) => None,
        _ => text.get(..=at),
    }
}

const fn is_dropped(segment: &[u8]) -> bool {
    matches!(segment, [] | [b'.'] | [b'.', b'.'])
}

/// How many bytes the first letter of `rest` takes, if its escapes are written as they should be.
fn normal_escapes(rest: &str) -> Option<usize> {
    let (spelling, taken) = letter::first(rest, Braces::Escaped).ok()?;
    let written = rest.as_bytes().get(..taken)?;
    (written == spelling.bytes()).then_some(taken)
}
