//! Rust code as words and signs, with the line and the place of each.

/// A word or a single sign of masked code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    pub(crate) line: usize,
    /// Byte offset, the same in the code and in the source.
    pub(crate) at: usize,
}

/// `code` is the code half of a `Mask`: literals are empty.
pub(crate) fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut rest = code.char_indices().peekable();
    while let Some((at, sign)) = rest.next() {
        let mut end = at + sign.len_utf8();
        while is_word(sign) && rest.peek().is_some_and(|&(_, next)| is_word(next)) {
            end += rest.next().map_or(0, |(_, next)| next.len_utf8());
        }
        if !sign.is_whitespace() {
            tokens.push(Token {
                text: code.get(at..end).unwrap_or_default(),
                line,
                at,
            });
        }
        line += usize::from(sign == '\n');
    }
    tokens
}

/// Whether the tokens from `start` on read like this.
pub(crate) fn reads(tokens: &[Token<'_>], start: usize, wanted: &[&str]) -> bool {
    let here = tokens.get(start..).unwrap_or_default();
    here.len() >= wanted.len()
        && here
            .iter()
            .zip(wanted)
            .all(|(token, &text)| token.text == text)
}

/// The index of the sign that closes the bracket at `open`, or the last index if none does.
pub(crate) fn closing(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return index;
        }
    }
    tokens.len().saturating_sub(1)
}

fn is_word(sign: char) -> bool {
    sign == '_' || sign.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::{closing, reads, tokens};

    #[test]
    fn words_and_signs_with_their_lines() {
        let tokens = tokens("fn a_1()\n{}");
        let seen: Vec<(&str, usize)> = tokens
            .iter()
            .map(|token| (token.text, token.line))
            .collect();
        assert_eq!(
            seen,
            [
                ("fn", 1),
                ("a_1", 1),
                ("(", 1),
                (")", 1),
                ("{", 2),
                ("}", 2)
            ]
        );
        assert_eq!(tokens[4].at, 9);
    }

    #[test]
    fn a_bracket_is_closed_by_its_partner() {
        let tokens = tokens("f(a[(1)], {2}) + 3");
        assert_eq!(tokens[closing(&tokens, 1)].at, 13);
    }

    #[test]
    fn reading_stops_at_the_end() {
        let tokens = tokens("dbg!");
        assert!(reads(&tokens, 0, &["dbg", "!"]));
        assert!(!reads(&tokens, 1, &["!", "("]));
    }
}
