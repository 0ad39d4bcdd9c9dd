//! Licence expressions: names joined by `AND` and `OR`, with brackets; `/` is an old `OR`.

/// Whether the allowed licences are enough to use what is under this expression.
pub(crate) fn holds(expression: &str, allowed: impl Fn(&str) -> bool) -> bool {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut parser = Parser {
        words: &words,
        allowed,
    };
    parser.either() && parser.words.is_empty()
}

#[derive(Debug)]
struct Parser<'a, F> {
    words: &'a [&'a str],
    allowed: F,
}

impl<F: Fn(&str) -> bool> Parser<'_, F> {
    fn either(&mut self) -> bool {
        let mut holds = self.both();
        while self.accepts("OR") {
            holds |= self.both();
        }
        holds
    }

    fn both(&mut self) -> bool {
        let mut holds = self.one();
        while self.accepts("AND") {
            holds &= self.one();
        }
        holds
    }

    fn one(&mut self) -> bool {
        if self.accepts("(") {
            return self.either() & self.accepts(")");
        }
        let Some(mut name) = self.next().map(str::to_owned) else {
            return false;
        };
        if self.accepts("WITH") {
            name = format!("{name} WITH {}", self.next().unwrap_or_default());
        }
        (self.allowed)(&name)
    }

    fn accepts(&mut self, word: &str) -> bool {
        let found = self.words.first() == Some(&word);
        if found {
            self.next();
        }
        found
    }

    fn next(&mut self) -> Option<&str> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::holds;

    fn with_mit_and_zlib(expression: &str) -> bool {
        holds(expression, |name| {
            ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].contains(&name)
        })
    }

    #[test]
    fn one_side_of_or_is_enough() {
        assert!(with_mit_and_zlib("GPL-3.0 OR MIT"));
        assert!(with_mit_and_zlib("MIT/Apache-2.0"));
        assert!(!with_mit_and_zlib("GPL-3.0 OR MPL-2.0"));
    }

    #[test]
    fn and_needs_both_sides_and_binds_tighter() {
        assert!(with_mit_and_zlib("MIT AND Zlib"));
        assert!(!with_mit_and_zlib("MIT AND GPL-3.0"));
        assert!(with_mit_and_zlib("MIT OR Zlib AND GPL-3.0"));
        assert!(!with_mit_and_zlib("(MIT OR Zlib) AND GPL-3.0"));
    }

    #[test]
    fn an_exception_is_part_of_the_name() {
        assert!(with_mit_and_zlib(
            "Apache-2.0 WITH LLVM-exception OR Apache-2.0"
        ));
        assert!(!with_mit_and_zlib("Apache-2.0"));
    }

    #[test]
    fn nonsense_is_not_allowed() {
        for text in ["", "(MIT", "MIT)", "MIT MIT", "OR", "MIT AND"] {
            assert!(!with_mit_and_zlib(text), "{text:?}");
        }
    }
}
