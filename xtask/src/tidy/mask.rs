//! Splits Rust source into what the compiler reads and what people read.
//!
//! Both halves are as long as the source, line for line and byte for byte: what belongs to the
//! other half is blank. The inside of a literal belongs to neither.

/// The two halves of a source text.
#[derive(Debug)]
pub(crate) struct Mask {
    pub(crate) code: String,
    pub(crate) comments: String,
}

impl Mask {
    pub(crate) fn of(text: &str) -> Self {
        let mut reader = Reader {
            bytes: text.as_bytes(),
            at: 0,
            code: Vec::new(),
            comments: Vec::new(),
        };
        while reader.at < reader.bytes.len() {
            reader.step();
        }
        Self {
            code: String::from_utf8_lossy(&reader.code).into_owned(),
            comments: String::from_utf8_lossy(&reader.comments).into_owned(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    Code,
    Comment,
    Neither,
}

#[derive(Debug)]
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    code: Vec<u8>,
    comments: Vec<u8>,
}

impl Reader<'_> {
    fn step(&mut self) {
        if self.sees(b"//") {
            self.take_while(Half::Comment, |reader| reader.peek(0) != Some(b'\n'));
        } else if self.sees(b"/*") {
            self.block_comment();
        } else if let Some(hashes) = self.raw_string() {
            self.take(Half::Code, hashes + 2);
            self.quoted(&[b"\"", "#".repeat(hashes).as_bytes()].concat(), None);
        } else if self.sees(b"\"") {
            self.take(Half::Code, 1);
            self.quoted(b"\"", Some(b'\\'));
        } else if self.char_literal() {
            self.take(Half::Code, 1);
            self.quoted(b"'", Some(b'\\'));
        } else {
            self.take(Half::Code, 1);
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0_u32;
        loop {
            if self.sees(b"/*") {
                depth = depth.saturating_add(1);
                self.take(Half::Comment, 2);
            } else if self.sees(b"*/") {
                depth = depth.saturating_sub(1);
                self.take(Half::Comment, 2);
            } else {
                self.take(Half::Comment, 1);
            }
            if depth == 0 || self.at >= self.bytes.len() {
                return;
            }
        }
    }

    /// From inside a literal up to and including its end.
    fn quoted(&mut self, end: &[u8], escape: Option<u8>) {
        while self.at < self.bytes.len() && !self.sees(end) {
            let escaped = escape.is_some() && self.peek(0) == escape;
            self.take(Half::Neither, if escaped { 2 } else { 1 });
        }
        self.take(Half::Code, end.len());
    }

    /// At the `r` of a raw string: how many hashes fence it.
    fn raw_string(&self) -> Option<usize> {
        if self.peek(0) != Some(b'r') || self.inside_word() {
            return None;
        }
        let rest = self.bytes.get(self.at + 1..)?;
        let hashes = rest.iter().take_while(|&&byte| byte == b'#').count();
        (rest.get(hashes) == Some(&b'"')).then_some(hashes)
    }

    /// Whether the byte before continues a word; the prefixes of `br""` and `cr""` do not.
    fn inside_word(&self) -> bool {
        let before = |distance| {
            self.at
                .checked_sub(distance)
                .and_then(|at| self.bytes.get(at))
        };
        let is_word = |byte: Option<&u8>| byte.is_some_and(|&byte| is_word(byte));
        match before(1) {
            Some(b'b' | b'c') => is_word(before(2)),
            other => is_word(other),
        }
    }

    /// Tells `'a'` from the lifetime `'a`.
    fn char_literal(&self) -> bool {
        if self.peek(0) != Some(b'\'') {
            return false;
        }
        let width = match self.peek(1) {
            None => return false,
            Some(b'\\') => return true,
            Some(0xf0..) => 4,
            Some(0xe0..) => 3,
            Some(0xc0..) => 2,
            Some(_) => 1,
        };
        self.peek(width + 1) == Some(b'\'')
    }

    fn take_while(&mut self, half: Half, goes_on: impl Fn(&Self) -> bool) {
        while self.at < self.bytes.len() && goes_on(self) {
            self.take(half, 1);
        }
    }

    fn take(&mut self, half: Half, count: usize) {
        for _ in 0..count {
            let Some(byte) = self.peek(0) else { return };
            let blank = if byte == b'\n' { b'\n' } else { b' ' };
            self.code
                .push(if half == Half::Code { byte } else { blank });
            self.comments
                .push(if half == Half::Comment { byte } else { blank });
            self.at += 1;
        }
    }

    fn sees(&self, wanted: &[u8]) -> bool {
        self.bytes
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(wanted))
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }
}

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::Mask;

    fn code(text: &str) -> String {
        let mask = Mask::of(text);
        assert_eq!(mask.code.len(), text.len());
        assert_eq!(mask.comments.len(), text.len());
        mask.code
    }

    #[test]
    fn comments_and_code_are_kept_apart() {
        let mask = Mask::of("let a = 1; // one\n");
        assert_eq!(mask.code, "let a = 1;       \n");
        assert_eq!(mask.comments, "           // one\n");
    }

    #[test]
    fn block_comments_nest() {
        assert_eq!(code("a /* b /* c */ d */ e"), "a                   e");
    }

    #[test]
    fn literals_are_emptied() {
        assert_eq!(code(r#"f("a\"{", '{', b'}')"#), r#"f("    ", ' ', b' ')"#);
        assert_eq!(code("f(r#\"a\"{\"#, br\"}\")"), "f(r#\"   \"#, br\" \")");
        assert_eq!(code(r"f('\'', '\u{7b}', 'é')"), r"f('  ', '      ', '  ')");
    }

    #[test]
    fn a_slash_in_a_string_starts_no_comment() {
        assert_eq!(code("f(\"http://x\"); g()"), "f(\"        \"); g()");
    }

    #[test]
    fn lifetimes_and_raw_identifiers_are_code() {
        let text = "fn f<'a>(x: &'a str, r#fn: u8, for_r: u8) {}";
        assert_eq!(code(text), text);
    }

    #[test]
    fn an_unfinished_literal_ends_with_the_file() {
        assert_eq!(code("f(\"a"), "f(\" ");
        assert_eq!(code("/* a"), "    ");
    }
}
