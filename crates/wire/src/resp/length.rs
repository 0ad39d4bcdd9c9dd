//! The number after `*` and `$`.

/// More characters than any number that is let through has.
const CHARS_MAX: usize = 20;

/// What a line with a number holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    /// The line has not ended yet.
    Unfinished,
    /// A number, and so many bytes up to and with the end of its line.
    Number { value: i64, taken: usize },
    /// Something else.
    NotANumber,
}

/// Reads a number and the end of its line. It is written in one way only, as in Redis: no plus, no
/// leading zeros.
#[inline]
pub(super) fn length(bytes: &[u8]) -> Length {
    // Nearly all of them have one digit or two.
    if let &[digit @ b'0'..=b'9', b'\r', b'\n', ..] = bytes {
        let value = i64::from(digit - b'0');
        return Length::Number { value, taken: 3 };
    }
    if let &[tens @ b'1'..=b'9', ones @ b'0'..=b'9', b'\r', b'\n', ..] = bytes {
        let value = 10 * i64::from(tens - b'0') + i64::from(ones - b'0');
        return Length::Number { value, taken: 4 };
    }
    long(bytes)
}

fn long(bytes: &[u8]) -> Length {
    let window = bytes.get(..CHARS_MAX + 2).unwrap_or(bytes);
    let Some(end) = window.iter().position(|byte| *byte == b'\r') else {
        let is_hopeless = bytes.len() > CHARS_MAX || !window.iter().all(may_be_in_a_number);
        return if is_hopeless {
            Length::NotANumber
        } else {
            Length::Unfinished
        };
    };
    let (digits, rest) = window.split_at(end);
    let Some(value) = number(digits) else {
        return Length::NotANumber;
    };
    match rest {
        [b'\r', b'\n', ..] => Length::Number {
            value,
            taken: end + 2,
        },
        [_] => Length::Unfinished,
        _ => Length::NotANumber,
    }
}

fn may_be_in_a_number(byte: &u8) -> bool {
    byte.is_ascii_digit() || *byte == b'-'
}

fn number(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let is_plain = match digits {
        [b'0'] => digits.len() == text.len(),
        [b'1'..=b'9', ..] => digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    let text = std::str::from_utf8(text).ok().filter(|_| is_plain)?;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn found(value: i64, taken: usize) -> Length {
        Length::Number { value, taken }
    }

    #[test]
    fn numbers_are_read_with_the_end_of_their_line() {
        assert_eq!(length(b"3\r\nrest"), found(3, 3));
        assert_eq!(length(b"12\r\n"), found(12, 4));
        assert_eq!(length(b"-1\r\n"), found(-1, 4));
        assert_eq!(length(b"0\r\n"), found(0, 3));
        let largest = i64::MAX.to_string() + "\r\n";
        assert_eq!(length(largest.as_bytes()), found(i64::MAX, 21));
        let smallest = i64::MIN.to_string() + "\r\n";
        assert_eq!(length(smallest.as_bytes()), found(i64::MIN, 22));
    }

    #[test]
    fn what_is_not_complete_is_waited_for() {
        for text in ["", "1", "12", "12\r", "-", "-12", "1234567890123456789"] {
            assert_eq!(length(text.as_bytes()), Length::Unfinished, "{text:?}");
        }
    }

    #[test]
    fn other_spellings_are_refused_at_once() {
        let bad = [
            "\r\n",
            "+1\r\n",
            "01\r\n",
            "-0\r\n",
            "--1\r\n",
            "1x",
            "1\n",
            "1\rx",
            " 1\r\n",
            "1 \r\n",
            "9223372036854775808\r\n",
            "123456789012345678901",
            "x",
            "\n",
            "-\r\n",
        ];
        for text in bad {
            assert_eq!(length(text.as_bytes()), Length::NotANumber, "{text:?}");
        }
    }
}
