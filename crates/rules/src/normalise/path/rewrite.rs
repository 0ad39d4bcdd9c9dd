//! The normal form of a path that is not in it.

use super::{Ambiguity, Path, PathError};

/// The normal form of `text`, segment by segment.
pub(super) fn rewrite(text: &str, braces: Braces) -> Result<String, PathError> {
    let path = path_of(text)?;
    let segments = path.strip_prefix('/').ok_or(PathError::NoSlash)?;
    if segments.starts_with('/') {
        return Err(PathError::Ambiguous(Ambiguity::LeadingSlashes));
    }
    // Empty segments stay until the end, so that a climb over one is seen however far before it they are.
    let mut out = String::with_capacity(path.len());
    for segment in segments.split('/') {
        let end_of_last = out.len();
        out.push('/');
        let parameters = write_segment(segment, braces, &mut out)?;
        match out.get(end_of_last..).unwrap_or_default() {
            "/." | "/.." if parameters == Parameters::Some => {
                return Err(PathError::Ambiguous(Ambiguity::DotsWithParameters));
            }
            "/." => out.truncate(end_of_last),
            "/.." => {
                out.truncate(end_of_last);
                climb(&mut out)?;
            }
            _ => {}
        }
    }
    if out.starts_with("//") {
        return Err(PathError::Ambiguous(Ambiguity::LeadingSlashes));
    }
    Ok(folded(out))
}

/// `text` without its query and its fragment.
fn path_of(text: &str) -> Result<&str, PathError> {
    let target = text.split('?').next().unwrap_or_default();
    let (path, fragment) = target.split_once('#').unwrap_or((target, ""));
    if path.len() > Path::BYTES_MAX {
        return Err(PathError::TooLong { bytes: path.len(), max: Path::BYTES_MAX });
    }
    if fragment.contains(['/', '\\']) {
        return Err(PathError::Ambiguous(Ambiguity::SlashInFragment));
    }
    Ok(path)
}

/// Removes the last segment.
fn climb(out: &mut String) -> Result<(), PathError> {
    let start_of_last = out.rfind('/').ok_or(PathError::AboveRoot)?;
    if out.ends_with('/') {
        return Err(PathError::Ambiguous(Ambiguity::ClimbOverEmpty));
    }
    out.truncate(start_of_last);
    Ok(())
}

/// The path without its empty segments.
fn folded(path: String) -> String {
    if !path.is_empty() && !path.contains("//") && !path.ends_with('/') {
        return path;
    }
    let mut folded = String::with_capacity(path.len().max(1));
    for segment in Path::segments_of(&path) {
        folded.push('/');
        folded.push_str(segment);
    }
    if folded.is_empty() {
        folded.push('/');
    }
    folded
}

/// Whether a segment has parameters, were they empty: `x;`.
#[derive(Clone, Copy, PartialEq)]
enum Parameters {
    None,
    Some,
}

/// Appends a segment without its parameters, which must be in order all the same.
fn write_segment(segment: &str, braces: Braces, out: &mut String) -> Result<Parameters, PathError> {
    let Some((name, parameters)) = segment.split_once(';') else {
        write_letters(segment, braces, out)?;
        return Ok(Parameters::None);
    };
    write_letters(name, braces, out)?;
    let end_of_name = out.len();
    write_letters(parameters, braces, out)?;
    out.truncate(end_of_name);
    Ok(Parameters::Some)
}

fn write_letters(mut rest: &str, braces: Braces, out: &mut String) -> Result<(), PathError> {
    while !rest.is_empty() {
        let as_it_is = rest.bytes().take_while(|&byte| is_plain(byte)).count();
        let (plain, odd) = rest.split_at_checked(as_it_is).unwrap_or((rest, ""));
        out.push_str(plain);
        if odd.is_empty() {
            break;
        }
        let (spelling, taken) = first(odd, braces)?;
        out.extend(spelling.bytes().iter().copied().map(char::from));
        rest = odd.get(taken..).unwrap_or_default();
    }
    Ok(())
}

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
    let (spelling, taken) = first(rest, Braces::Escaped).ok()?;
    let written = rest.as_bytes().get(..taken)?;
    (written == spelling.bytes()).then_some(taken)
}

/// What becomes of `{` and `}` that are not escaped.
#[derive(Clone, Copy, Debug)]
pub(super) enum Braces {
    /// They are letters like any other, and no URI may hold them: they become escapes.
    Escaped,
    /// They name a segment of a pattern: they stay.
    Plain,
}

/// The normal spelling of one letter: as it is, or one escape for each of its bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spelling {
    text: [u8; Self::BYTES_MAX],
    len: usize,
}

impl Spelling {
    /// Four escapes.
    const BYTES_MAX: usize = 12;

    /// The letter as it is to be written; plain ASCII.
    pub(super) fn bytes(&self) -> &[u8] {
        self.text.get(..self.len).unwrap_or_default()
    }

    const fn plain(byte: u8) -> Self {
        let mut text = [0; Self::BYTES_MAX];
        text[0] = byte;
        Self { text, len: 1 }
    }

    fn escaped(letter: &[u8]) -> Self {
        const DIGITS: [u8; 16] = *b"0123456789ABCDEF";
        let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or(b'0');
        let mut text = [0; Self::BYTES_MAX];
        for (escape, byte) in text.as_chunks_mut::<3>().0.iter_mut().zip(letter) {
            *escape = [b'%', digit(byte >> 4), digit(byte & 0xf)];
        }
        let len = letter.len().saturating_mul(3).min(Self::BYTES_MAX);
        Self { text, len }
    }
}

/// Reads the first letter of `rest`, which is not empty: how it is spelled, and how many bytes of
/// `rest` it took.
pub(super) fn first(rest: &str, braces: Braces) -> Result<(Spelling, usize), PathError> {
    let Some(letter) = rest.chars().next() else {
        return Err(PathError::Escape);
    };
    if letter == '%' {
        return escaped(rest.as_bytes());
    }
    if letter.is_control() {
        return Err(PathError::Control);
    }
    if letter == '\\' {
        return Err(PathError::Ambiguous(Ambiguity::Backslash));
    }
    let is_brace = matches!(letter, '{' | '}') && matches!(braces, Braces::Plain);
    let spelling = match u8::try_from(letter) {
        Ok(byte) if is_plain(byte) || is_brace => Spelling::plain(byte),
        _ => Spelling::escaped(letter.encode_utf8(&mut [0; 4]).as_bytes()),
    };
    Ok((spelling, letter.len_utf8()))
}

/// Reads the one letter that the first escapes of `rest` are.
fn escaped(rest: &[u8]) -> Result<(Spelling, usize), PathError> {
    let (escapes, _) = rest.as_chunks::<3>();
    let lead = escapes.first().map_or(Err(PathError::Escape), byte_of)?;
    let len = match lead {
        0..=0x7f => 1,
        0x80..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xff => 4,
    };
    let mut bytes = [lead, 0, 0, 0];
    for (place, byte) in bytes.iter_mut().enumerate().take(len).skip(1) {
        let escape = escapes.get(place).filter(|escape| escape[0] == b'%');
        *byte = byte_of(escape.ok_or(PathError::Utf8)?)?;
    }
    let bytes = bytes.get(..len).unwrap_or_default();
    let letter = str::from_utf8(bytes).map_err(|_| PathError::Utf8)?;
    if letter.contains(char::is_control) {
        return Err(PathError::Control);
    }
    let spelling =
        if is_unreserved(lead) { Spelling::plain(lead) } else { Spelling::escaped(bytes) };
    Ok((spelling, len.saturating_mul(3)))
}

fn byte_of(escape: &[u8; 3]) -> Result<u8, PathError> {
    let [_, high, low] = escape.map(|digit| char::from(digit).to_digit(16));
    let byte = high.zip(low).map(|(high, low)| high << 4 | low);
    let byte = byte.and_then(|byte| u8::try_from(byte).ok());
    byte.ok_or(PathError::Escape)
}

/// The letters that mean the same escaped and plain.
const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// The letters a segment of a URI may hold as they are.
pub(super) const fn is_plain(byte: u8) -> bool {
    let is_delimiter = matches!(
        byte,
        b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' | b':' | b'@'
    );
    is_unreserved(byte) || is_delimiter
}

/// How many bytes are looked at together.
const BLOCK: usize = 16;

/// Whether `text` is surely in normal form; `false` says nothing.
pub(super) fn is_normal(text: &str) -> bool {
    let text = text.as_bytes();
    let (Some((b'/', after)), Some((last, before))) = (text.split_first(), text.split_last())
    else {
        return false;
    };
    let (blocks_before, _) = before.as_chunks::<BLOCK>();
    let (blocks_after, _) = after.as_chunks::<BLOCK>();
    // What is left after the last full block is looked at together with bytes already seen.
    let (Some(end_before), Some(end_after)) = (before.last_chunk(), after.last_chunk()) else {
        return false;
    };
    let mut blocks = blocks_before.iter().zip(blocks_after);
    *last != b'/'
        && blocks.all(|(before, after)| is_fine(before, after))
        && is_fine(end_before, end_after)
}

/// Whether every byte of `after` is fine behind its neighbour in `before`. Written without branches,
/// so that each line becomes one instruction for the whole block.
fn is_fine(before: &[u8; BLOCK], after: &[u8; BLOCK]) -> bool {
    let mut is_fine = true;
    for (&before, &byte) in before.iter().zip(after) {
        let is_letter = (byte | 0x20).wrapping_sub(b'a') < 26;
        let is_digit_dash_dot_slash = byte.wrapping_sub(b'-') < 13;
        let is_dot_or_slash = byte & 0xfe == b'.';
        let begins_oddly = (before == b'/') & is_dot_or_slash;
        is_fine &= (is_letter | is_digit_dash_dot_slash | (byte == b'_')) & !begins_oddly;
    }
    is_fine
}
