//! The words of JSON.

use std::borrow::Cow;

use super::{
    error::{BodyFlaw, Fault, Kind},
    reader::plain_length,
};

/// Objects and arrays within each other.
pub const DEPTH_MAX: u32 = 16;

/// Reads JSON from left to right, each byte once.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// The byte that is read next.
    pub(super) const fn at(&self) -> usize {
        self.at
    }

    /// The next byte after blanks.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            match self.text.as_bytes().get(self.at) {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                other => return other.copied(),
            }
        }
    }

    /// Steps over this byte, or says what was expected.
    #[inline]
    pub(super) fn expect(&mut self, wanted: u8, name: &'static str) -> Result<(), Fault> {
        if self.peek() == Some(wanted) {
            self.at += 1;
            return Ok(());
        }
        Err(self.syntax(name))
    }

    /// Steps over this byte if it is next.
    pub(super) fn takes(&mut self, wanted: u8) -> bool {
        let is_next = self.peek() == Some(wanted);
        self.at += usize::from(is_next);
        is_next
    }

    /// After a member: whether it was the last.
    pub(super) fn ends(&mut self, close: u8) -> Result<bool, Fault> {
        if self.takes(b',') {
            return Ok(false);
        }
        let name = if close == b'}' { "`,` or `}`" } else { "`,` or `]`" };
        self.expect(close, name).map(|()| true)
    }

    /// After everything.
    pub(super) fn end(&mut self) -> Result<(), Fault> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.syntax("the end of the body")),
        }
    }

    /// What the next value is, by its first byte.
    pub(super) fn kind(&mut self) -> Result<Kind, Fault> {
        match self.peek() {
            Some(b'"') => Ok(Kind::Text),
            Some(b'{') => Ok(Kind::Object),
            Some(b'[') => Ok(Kind::Array),
            Some(b't' | b'f') => Ok(Kind::Boolean),
            Some(b'n') => Ok(Kind::Null),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            _ => Err(self.syntax("a value")),
        }
    }

    /// A string, borrowed unless it has escapes.
    #[inline]
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, Fault> {
        self.expect(b'"', "a string")?;
        let start = self.at;
        self.at = self.plain_end(start);
        match self.byte() {
            Some(b'"') => {
                let text = self.text.get(start..self.at).unwrap_or_default();
                self.at += 1;
                Ok(Cow::Borrowed(text))
            }
            _ => self.escaped(start).map(Cow::Owned),
        }
    }

    /// A number, as it is written.
    pub(super) fn number(&mut self) -> Result<&'a str, Fault> {
        self.peek();
        let start = self.at;
        self.at += usize::from(self.byte() == Some(b'-'));
        match self.byte() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.at += 1;
            self.at += usize::from(matches!(self.byte(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }

    /// Steps over a value of any kind.
    pub(super) fn skip(&mut self, depth: u32) -> Result<(), Fault> {
        match self.kind()? {
            Kind::Text => self.string().map(drop),
            Kind::Number => self.number().map(drop),
            Kind::Null => self.literal("null"),
            Kind::Boolean if self.byte() == Some(b't') => self.literal("true"),
            Kind::Boolean => self.literal("false"),
            Kind::Array | Kind::Object if depth >= DEPTH_MAX => {
                Err(Fault::new(BodyFlaw::TooDeep, self.at))
            }
            Kind::Array => self.skip_members(b']', depth),
            Kind::Object => self.skip_members(b'}', depth),
        }
    }

    pub(super) fn literal(&mut self, word: &'static str) -> Result<(), Fault> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if !rest.starts_with(word) {
            return Err(self.syntax("a value"));
        }
        self.at += word.len();
        Ok(())
    }

    pub(super) const fn syntax(&self, expected: &'static str) -> Fault {
        Fault::new(BodyFlaw::Syntax(expected), self.at)
    }

    fn skip_members(&mut self, close: u8, depth: u32) -> Result<(), Fault> {
        self.at += 1;
        if self.takes(close) {
            return Ok(());
        }
        loop {
            if close == b'}' {
                self.string()?;
                self.expect(b':', "`:`")?;
            }
            self.skip(depth + 1)?;
            if self.ends(close)? {
                return Ok(());
            }
        }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Where a run of characters that stand for themselves ends.
    fn plain_end(&self, start: usize) -> usize {
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        start + plain_length(rest)
    }

    /// The rest of a string, once its first escape is reached.
    #[cold]
    fn escaped(&mut self, start: usize) -> Result<String, Fault> {
        let mut whole = self.text.get(start..self.at).unwrap_or_default().to_owned();
        loop {
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(whole);
                }
                Some(b'\\') => {
                    self.at += 1;
                    whole.push(self.escape()?);
                }
                Some(_) => return Err(self.syntax("no control character in a string")),
                None => return Err(self.syntax("the end of a string")),
            }
            let from = self.at;
            self.at = self.plain_end(from);
            whole.push_str(self.text.get(from..self.at).unwrap_or_default());
        }
    }

    fn escape(&mut self) -> Result<char, Fault> {
        let letter = match self.byte() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.code_point();
            }
            _ => return Err(self.syntax("an escape")),
        };
        self.at += 1;
        Ok(letter)
    }

    /// What `\u` stands for; two of them where one does not suffice.
    fn code_point(&mut self) -> Result<char, Fault> {
        let first = self.hex()?;
        if let Some(letter) = char::from_u32(first) {
            return Ok(letter);
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        if first >= 0xdc00 || !rest.starts_with("\\u") {
            return Err(self.syntax("both halves of a surrogate pair"));
        }
        self.at += 2;
        let second = self.hex()?;
        if !(0xdc00..0xe000).contains(&second) {
            return Err(self.syntax("both halves of a surrogate pair"));
        }
        let point = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        char::from_u32(point).ok_or_else(|| self.syntax("a character"))
    }

    fn hex(&mut self) -> Result<u32, Fault> {
        let digits = self.text.get(self.at..self.at + 4);
        let is_hex = |text: &&str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let value = digits.filter(is_hex).and_then(|text| u32::from_str_radix(text, 16).ok());
        let value = value.ok_or_else(|| self.syntax("four hexadecimal digits"))?;
        self.at += 4;
        Ok(value)
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start {
            return Err(self.syntax("a digit"));
        }
        Ok(())
    }
}

/// Appends a text as a JSON string.
///
/// ```
/// let mut out = Vec::new();
/// tollgate_wire::check::write_text("a\"b\n", &mut out);
/// assert_eq!(out, br#""a\"b\n""#);
/// ```
pub fn write_text(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    if plain_length(text.as_bytes()) == text.len() {
        out.extend_from_slice(text.as_bytes());
    } else {
        text.bytes().for_each(|byte| write_byte(byte, out));
    }
    out.push(b'"');
}

fn write_byte(byte: u8, out: &mut Vec<u8>) {
    match byte {
        b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
        b'\n' => out.extend_from_slice(br"\n"),
        b'\r' => out.extend_from_slice(br"\r"),
        b'\t' => out.extend_from_slice(br"\t"),
        0..=0x1f => {
            let low = byte & 0xf;
            let digit = if low < 10 { b'0' + low } else { b'a' + low - 10 };
            out.extend_from_slice(br"\u00");
            out.extend_from_slice(&[b'0' + (byte >> 4), digit]);
        }
        _ => out.push(byte),
    }
}
