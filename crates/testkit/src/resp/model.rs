//! A decoder that is obviously right: it reads a whole stream at once, and copies everything.

use tollgate_wire::resp::{
    ARGS_MAX, BULK_BYTES_MAX, FRAME_BYTES_MAX, INLINE_BYTES_MAX, ProtocolError,
};

/// How a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelEnd {
    /// With so many bytes of a command that is not whole.
    Unfinished(usize),
    /// With bytes that are no command.
    Broken(ProtocolError),
}

/// The commands of a stream, word by word, and how it ends. Commands of no words are left out.
pub fn model(stream: &[u8]) -> (Vec<Vec<Vec<u8>>>, ModelEnd) {
    let mut commands = Vec::new();
    let mut rest = stream;
    loop {
        let one = if rest.first() == Some(&b'*') { array(rest) } else { inline(rest) };
        match one {
            Ok(Some((words, after))) => {
                rest = after;
                if !words.is_empty() {
                    commands.push(words);
                }
            }
            Ok(None) => return (commands, ModelEnd::Unfinished(rest.len())),
            Err(error) => return (commands, ModelEnd::Broken(error)),
        }
    }
}

type One<'a> = Result<Option<(Vec<Vec<u8>>, &'a [u8])>, ProtocolError>;

fn array(frame: &[u8]) -> One<'_> {
    let Some((count, mut rest)) = number(&frame[1..], ProtocolError::ArgumentCount)? else {
        return Ok(None);
    };
    if count > i128::try_from(ARGS_MAX).unwrap() {
        return Err(ProtocolError::ArgumentCount);
    }
    let mut words = Vec::new();
    for _ in 0..count.max(0) {
        match rest.first() {
            None => return Ok(None),
            Some(b'$') => {}
            Some(other) => return Err(ProtocolError::NotABulk(*other)),
        }
        let Some((length, after)) = number(&rest[1..], ProtocolError::BulkLength)? else {
            return Ok(None);
        };
        let length = usize::try_from(length).map_err(|_| ProtocolError::BulkLength)?;
        if length > BULK_BYTES_MAX {
            return Err(ProtocolError::BulkLength);
        }
        if frame.len() - after.len() + length + 2 > FRAME_BYTES_MAX {
            return Err(ProtocolError::TooLong);
        }
        if after.len() < length + 2 {
            return Ok(None);
        }
        if &after[length..length + 2] != b"\r\n" {
            return Err(ProtocolError::NoLineEnd);
        }
        words.push(after[..length].to_vec());
        rest = &after[length + 2..];
    }
    Ok(Some((words, rest)))
}

/// A number and what follows its line; nothing while it can still become one.
fn number(text: &[u8], error: ProtocolError) -> Result<Option<(i128, &[u8])>, ProtocolError> {
    for end in 0..text.len() {
        if text[end..].starts_with(b"\r\n") {
            let spelled = std::str::from_utf8(&text[..end]).map_err(|_| error)?;
            let number: i128 = spelled.parse().map_err(|_| error)?;
            let is_plain = number.to_string() == spelled && i64::try_from(number).is_ok();
            return is_plain.then_some(Some((number, &text[end + 2..]))).ok_or(error);
        }
        let may_go_on = match text[end] {
            b'0'..=b'9' | b'-' => end < 20,
            // Its number is judged before the line feed comes.
            b'\r' if end + 1 == text.len() => {
                let spelled = std::str::from_utf8(&text[..end]).unwrap_or_default();
                let number = spelled.parse::<i64>().ok();
                number.is_some_and(|number| number.to_string() == spelled)
            }
            _ => false,
        };
        if !may_go_on {
            return Err(error);
        }
    }
    Ok(None)
}

fn inline(frame: &[u8]) -> One<'_> {
    let Some(end) = frame.iter().position(|byte| *byte == b'\n') else {
        return if frame.len() > INLINE_BYTES_MAX {
            Err(ProtocolError::InlineTooLong)
        } else {
            Ok(None)
        };
    };
    if end > INLINE_BYTES_MAX {
        return Err(ProtocolError::InlineTooLong);
    }
    let words = split(&frame[..end])?;
    if words.len() > ARGS_MAX {
        return Err(ProtocolError::ArgumentCount);
    }
    Ok(Some((words, &frame[end + 1..])))
}

/// Where a reader of a line is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    Blank,
    Word,
    Double,
    Single,
    /// After a closing quote.
    Closed,
}

fn split(line: &[u8]) -> Result<Vec<Vec<u8>>, ProtocolError> {
    let (mut words, mut word, mut at) = (Vec::new(), Vec::new(), At::Blank);
    let mut place = 0;
    while place < line.len() {
        let byte = line[place];
        let is_blank = b" \t\n\x0b\x0c\r".contains(&byte);
        let mut taken = 1;
        match at {
            At::Word | At::Closed if is_blank => {
                words.push(std::mem::take(&mut word));
                at = At::Blank;
            }
            At::Blank if is_blank => {}
            At::Closed => return Err(ProtocolError::Quotes),
            At::Blank | At::Word => match byte {
                b'"' => at = At::Double,
                b'\'' => at = At::Single,
                other => {
                    word.push(other);
                    at = At::Word;
                }
            },
            At::Double if byte == b'"' => at = At::Closed,
            At::Double if byte == b'\\' && place + 1 < line.len() => {
                let (meant, length) = escape(&line[place..]);
                word.push(meant);
                taken = length;
            }
            At::Single if line[place..].starts_with(b"\\'") => {
                word.push(b'\'');
                taken = 2;
            }
            At::Single if byte == b'\'' => at = At::Closed,
            At::Double | At::Single => word.push(byte),
        }
        place += taken;
    }
    match at {
        At::Double | At::Single => return Err(ProtocolError::Quotes),
        At::Word | At::Closed => words.push(word),
        At::Blank => {}
    }
    Ok(words)
}

/// What a backslash and what follows it mean, and how many bytes that takes.
fn escape(text: &[u8]) -> (u8, usize) {
    if text[1] == b'x'
        && let Some(digits) = text.get(2..4)
        && digits.iter().all(u8::is_ascii_hexdigit)
    {
        let digits = std::str::from_utf8(digits).unwrap();
        return (u8::from_str_radix(digits, 16).unwrap(), 4);
    }
    let meant = match text[1] {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 8,
        b'a' => 7,
        other => other,
    };
    (meant, 2)
}
