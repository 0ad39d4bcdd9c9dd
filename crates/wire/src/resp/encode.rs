//! Replies to bytes.

/// The version of the protocol that a client speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// What every client begins with.
    #[default]
    Two,
    /// With maps and a null of its own.
    Three,
}

/// Appends replies, or parts of them, to a buffer.
///
/// ```
/// use tollgate_wire::resp::{Encoder, Version};
///
/// let mut out = Vec::new();
/// let mut reply = Encoder::new(&mut out, Version::Three);
/// reply.array(2);
/// reply.integer(-1);
/// reply.null();
/// assert_eq!(out, b"*2\r\n:-1\r\n_\r\n");
/// ```
#[derive(Debug)]
pub struct Encoder<'a> {
    out: &'a mut Vec<u8>,
    version: Version,
}

impl<'a> Encoder<'a> {
    /// Appends to `out` what a client of this version understands.
    #[inline]
    pub const fn new(out: &'a mut Vec<u8>, version: Version) -> Self {
        Self { out, version }
    }

    /// How many bytes wait in the buffer.
    #[inline]
    pub const fn len(&self) -> usize {
        self.out.len()
    }

    /// Whether none do.
    pub const fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// A short text that is an answer by itself.
    pub fn simple(&mut self, text: &str) {
        self.line(b'+', text);
    }

    /// An error; its first word says of what kind it is.
    pub fn error(&mut self, text: &str) {
        self.line(b'-', text);
    }

    /// A number.
    #[inline]
    pub fn integer(&mut self, number: i64) {
        self.number(b':', number);
    }

    /// A text of any bytes.
    #[inline]
    pub fn bulk(&mut self, bytes: &[u8]) {
        self.count(b'$', bytes.len());
        self.out.extend_from_slice(bytes);
        self.out.extend_from_slice(b"\r\n");
    }

    /// Nothing.
    #[inline]
    pub fn null(&mut self) {
        self.out.extend_from_slice(match self.version {
            Version::Two => b"$-1\r\n",
            Version::Three => b"_\r\n",
        });
    }

    /// Nothing, where there could have been a list.
    pub fn null_array(&mut self) {
        self.out.extend_from_slice(match self.version {
            Version::Two => b"*-1\r\n",
            Version::Three => b"_\r\n",
        });
    }

    /// A list; so many replies follow as its items.
    #[inline]
    pub fn array(&mut self, items: usize) {
        self.count(b'*', items);
    }

    /// Pairs; twice as many replies follow.
    pub fn map(&mut self, pairs: usize) {
        match self.version {
            Version::Two => self.count(b'*', pairs.saturating_mul(2)),
            Version::Three => self.count(b'%', pairs),
        }
    }

    /// A list in which no order is meant; so many replies follow as its items.
    pub fn set(&mut self, items: usize) {
        match self.version {
            Version::Two => self.count(b'*', items),
            Version::Three => self.count(b'~', items),
        }
    }

    /// What ends a line would end the reply: such bytes become blanks, as in Redis.
    fn line(&mut self, kind: u8, text: &str) {
        self.out.push(kind);
        let is_end = |byte: u8| byte == b'\r' || byte == b'\n';
        let bytes = text.bytes().map(|byte| if is_end(byte) { b' ' } else { byte });
        self.out.extend(bytes);
        self.out.extend_from_slice(b"\r\n");
    }

    #[inline]
    fn count(&mut self, kind: u8, count: usize) {
        self.number(kind, i64::try_from(count).unwrap_or(i64::MAX));
    }

    #[inline]
    fn number(&mut self, kind: u8, number: i64) {
        // Most numbers are of one digit.
        if let Ok(digit @ 0..=9) = u8::try_from(number) {
            return self.out.extend_from_slice(&[kind, b'0' + digit, b'\r', b'\n']);
        }
        self.out.push(kind);
        self.out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        self.out.extend_from_slice(b"\r\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(version: Version, write: impl FnOnce(&mut Encoder<'_>)) -> String {
        let mut out = Vec::new();
        write(&mut Encoder::new(&mut out, version));
        String::from_utf8(out).unwrap()
    }

    // Proves: S3
    #[test]
    fn every_kind_of_reply_in_both_versions() {
        let both = |write: fn(&mut Encoder<'_>)| {
            (written(Version::Two, write), written(Version::Three, write))
        };
        let same = |text: &str| (text.to_owned(), text.to_owned());
        assert_eq!(both(|to| to.simple("OK")), same("+OK\r\n"));
        assert_eq!(both(|to| to.error("ERR no")), same("-ERR no\r\n"));
        assert_eq!(both(|to| to.bulk(b"a\r\nb")), same("$4\r\na\r\nb\r\n"));
        assert_eq!(both(|to| to.bulk(b"")), same("$0\r\n\r\n"));
        assert_eq!(both(|to| to.array(1_024)), same("*1024\r\n"));
        assert_eq!(both(|to| to.null()), ("$-1\r\n".into(), "_\r\n".into()));
        assert_eq!(both(|to| to.null_array()), ("*-1\r\n".into(), "_\r\n".into()));
        assert_eq!(both(|to| to.map(6)), ("*12\r\n".into(), "%6\r\n".into()));
        assert_eq!(both(|to| to.set(2)), ("*2\r\n".into(), "~2\r\n".into()));
    }

    #[test]
    fn numbers_of_every_size() {
        for number in [0, 1, 9, 10, -1, -9, 255, 256, i64::MAX, i64::MIN] {
            let text = written(Version::Two, |to| to.integer(number));
            assert_eq!(text, format!(":{number}\r\n"));
        }
    }

    #[test]
    fn a_line_cannot_be_broken_from_within() {
        let text = written(Version::Two, |to| to.error("ERR a\r\n+OK\nb"));
        assert_eq!(text, "-ERR a  +OK b\r\n");
    }
}
