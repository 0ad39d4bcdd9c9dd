//! Replies, as a client reads them.

use super::decode::{Length, length};

/// The most items of a list.
const ITEMS_MAX: usize = 1_024;
/// The most bytes of a text.
const TEXT_BYTES_MAX: usize = 64 * 1024;
/// The longest line.
const LINE_BYTES_MAX: usize = 8 * 1024;
/// How deep lists may stand in lists.
const DEPTH_MAX: u8 = 4;

/// A reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply<'a> {
    /// A short text.
    Simple(&'a [u8]),
    /// An error; its first word says of what kind it is.
    Error(&'a [u8]),
    /// A number.
    Integer(i64),
    /// A text.
    Bulk(&'a [u8]),
    /// Nothing.
    Null,
    /// A list.
    Array(Vec<Self>),
}

/// Bytes that are no reply. Where the next one would begin is not known then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the server does not speak the Redis protocol, or more of it than is let through")]
pub struct NoReply;

/// Reads one reply and says how many bytes it took; none if it is not whole yet.
///
/// ```
/// use tollgate_wire::resp::{Reply, read_reply};
///
/// let read = read_reply(b"*2\r\n:1\r\n$-1\r\n+OK")?;
/// assert_eq!(read, Some((Reply::Array(vec![Reply::Integer(1), Reply::Null]), 13)));
/// assert_eq!(read_reply(b"*2\r\n:1\r\n")?, None);
/// # Ok::<(), tollgate_wire::resp::NoReply>(())
/// ```
///
/// # Errors
///
/// [`NoReply`] for what is none.
pub fn read_reply(input: &[u8]) -> Result<Option<(Reply<'_>, usize)>, NoReply> {
    read(input, 0)
}

fn read(input: &[u8], depth: u8) -> Result<Option<(Reply<'_>, usize)>, NoReply> {
    let Some((kind, rest)) = input.split_first() else {
        return Ok(None);
    };
    match kind {
        b'+' => Ok(line(rest)?.map(|(text, taken)| (Reply::Simple(text), taken + 1))),
        b'-' => Ok(line(rest)?.map(|(text, taken)| (Reply::Error(text), taken + 1))),
        b':' => Ok(number(rest)?.map(|(value, taken)| (Reply::Integer(value), taken + 1))),
        b'_' => Ok(line(rest)?.map(|(_, taken)| (Reply::Null, taken + 1))),
        b'$' => bulk(rest),
        b'*' if depth < DEPTH_MAX => array(rest, depth),
        _ => Err(NoReply),
    }
}

fn line(rest: &[u8]) -> Result<Option<(&[u8], usize)>, NoReply> {
    let shown = rest.get(..LINE_BYTES_MAX).unwrap_or(rest);
    let Some(end) = memchr::memchr(b'\n', shown) else {
        return if shown.len() < LINE_BYTES_MAX { Ok(None) } else { Err(NoReply) };
    };
    let text = shown.get(..end).and_then(|text| text.strip_suffix(b"\r"));
    Ok(Some((text.ok_or(NoReply)?, end + 1)))
}

fn number(rest: &[u8]) -> Result<Option<(i64, usize)>, NoReply> {
    match length(rest) {
        Length::Unfinished => Ok(None),
        Length::Number { value, taken } => Ok(Some((value, taken))),
        Length::NotANumber => Err(NoReply),
    }
}

fn bulk(rest: &[u8]) -> Result<Option<(Reply<'_>, usize)>, NoReply> {
    let Some((length, begin)) = number(rest)? else {
        return Ok(None);
    };
    if length == -1 {
        return Ok(Some((Reply::Null, begin + 1)));
    }
    let length = bounded(length, TEXT_BYTES_MAX)?;
    let end = begin + length;
    let (Some(text), Some(after)) = (rest.get(begin..end), rest.get(end..end + 2)) else {
        return Ok(None);
    };
    if after != b"\r\n" {
        return Err(NoReply);
    }
    Ok(Some((Reply::Bulk(text), end + 3)))
}

fn array(rest: &[u8], depth: u8) -> Result<Option<(Reply<'_>, usize)>, NoReply> {
    let Some((items, mut at)) = number(rest)? else {
        return Ok(None);
    };
    if items == -1 {
        return Ok(Some((Reply::Null, at + 1)));
    }
    // Room is made as items come: a number is easily written.
    let mut list = Vec::new();
    for _ in 0..bounded(items, ITEMS_MAX)? {
        let Some((item, taken)) = read(rest.get(at..).unwrap_or_default(), depth + 1)? else {
            return Ok(None);
        };
        list.push(item);
        at += taken;
    }
    Ok(Some((Reply::Array(list), at + 1)))
}

fn bounded(number: i64, max: usize) -> Result<usize, NoReply> {
    let number = usize::try_from(number).map_err(|_| NoReply)?;
    if number > max { Err(NoReply) } else { Ok(number) }
}

/// Appends a command.
///
/// ```
/// let mut out = Vec::new();
/// tollgate_wire::resp::write_command(["PING", "x"], &mut out);
/// assert_eq!(out, b"*2\r\n$4\r\nPING\r\n$1\r\nx\r\n");
/// ```
pub fn write_command<'w, W>(words: W, out: &mut Vec<u8>)
where
    W: IntoIterator<Item = &'w str, IntoIter: ExactSizeIterator>,
{
    let words = words.into_iter();
    let mut encoder = super::Encoder::new(out, super::Version::Two);
    encoder.array(words.len());
    words.for_each(|word| encoder.bulk(word.as_bytes()));
}

#[cfg(test)]
mod tests {
    use super::*;

    // Proves: U4
    #[test]
    fn a_reply_is_read_whole_or_not_at_all() {
        let bytes = b"*4\r\n:-12\r\n$2\r\nhi\r\n*2\r\n+a\r\n_\r\n-ERR no\r\n";
        for cut in 0..bytes.len() {
            assert_eq!(read_reply(&bytes[..cut]), Ok(None), "{cut}");
        }
        let inner = vec![Reply::Simple(b"a"), Reply::Null];
        let whole = vec![
            Reply::Integer(-12),
            Reply::Bulk(b"hi"),
            Reply::Array(inner),
            Reply::Error(b"ERR no"),
        ];
        assert_eq!(read_reply(bytes), Ok(Some((Reply::Array(whole), bytes.len()))));
    }

    #[test]
    fn what_is_no_reply_is_refused_before_it_costs_anything() {
        for bytes in [
            &b"HTTP/1.1 400\r\n"[..],
            b"*99999999\r\n",
            b"$99999999\r\n",
            b"$-2\r\n",
            b":x\r\n",
            b"$1\r\nabc",
            b"*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
            b"+a\n",
        ] {
            assert_eq!(read_reply(bytes), Err(NoReply), "{bytes:?}");
        }
        assert_eq!(read_reply(&[b'+'; LINE_BYTES_MAX + 2]), Err(NoReply));
    }
}
