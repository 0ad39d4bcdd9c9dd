//! The modules a file declares, and which of its lines are compiled for tests only.

use std::ops::{Range, RangeInclusive};

use super::source::RustFile;
use super::tokens::{Token, closing, tokens};

/// `mod name;`: a module in a file of its own.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Declaration {
    pub(crate) name: String,
    /// The inline modules around it, outermost first.
    pub(crate) inside: Vec<String>,
    /// Files named by a `path` attribute.
    pub(crate) paths: Vec<String>,
    pub(crate) test_only: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub(crate) declarations: Vec<Declaration>,
    /// The inline modules under `cfg(test)`.
    pub(crate) test_lines: Vec<RangeInclusive<usize>>,
}

pub(crate) fn outline(file: &RustFile) -> Outline {
    let mut scan = Scan {
        text: &file.text,
        tokens: tokens(&file.mask.code),
        attributes: Vec::new(),
        rooms: Vec::new(),
        outline: Outline::default(),
    };
    let mut at = 0;
    while at < scan.tokens.len() {
        at = scan.step(at);
    }
    scan.outline
}

/// An inline module that is open at this point.
#[derive(Debug)]
struct Room {
    name: String,
    end: usize,
    test_only: bool,
}

#[derive(Debug)]
struct Scan<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    /// Those that wait for the item they belong to.
    attributes: Vec<Range<usize>>,
    rooms: Vec<Room>,
    outline: Outline,
}

impl Scan<'_> {
    /// Reads one token, or one attribute, and answers where to go on.
    fn step(&mut self, at: usize) -> usize {
        self.rooms.retain(|room| room.end > at);
        let sign = |ahead: usize| self.tokens.get(at + ahead).map_or("", |token| token.text);
        match (sign(0), sign(1), sign(2)) {
            ("#", "[", _) => {
                let end = closing(&self.tokens, at + 1);
                self.attributes.push(at..end);
                return end + 1;
            }
            ("mod", name, ";") => {
                let name = name.to_owned();
                self.declare(name);
            }
            ("mod", name, "{") => {
                let name = name.to_owned();
                self.enter(name, at + 2);
            }
            ("pub" | "(" | "crate" | "super" | "in" | ")", _, _) => return at + 1,
            _ => {}
        }
        self.attributes.clear();
        at + 1
    }

    fn declare(&mut self, name: String) {
        let declaration = Declaration {
            name,
            inside: self.rooms.iter().map(|room| room.name.clone()).collect(),
            paths: self
                .attributes
                .iter()
                .filter_map(|attribute| self.path(attribute))
                .collect(),
            test_only: self.is_test_only(),
        };
        self.outline.declarations.push(declaration);
    }

    fn enter(&mut self, name: String, open: usize) {
        let end = closing(&self.tokens, open);
        let test_only = self.is_test_only();
        let line = |index: usize| self.tokens.get(index).map_or(0, |token| token.line);
        if test_only {
            self.outline.test_lines.push(line(open)..=line(end));
        }
        self.rooms.push(Room {
            name,
            end,
            test_only,
        });
    }

    fn is_test_only(&self) -> bool {
        self.rooms.iter().any(|room| room.test_only)
            || self
                .attributes
                .iter()
                .any(|attribute| self.is_test_condition(attribute))
    }

    fn is_test_condition(&self, attribute: &Range<usize>) -> bool {
        let tokens = self.tokens.get(attribute.clone()).unwrap_or_default();
        let has = |word: &str| tokens.iter().any(|token| token.text == word);
        has("cfg") && has("test") && !has("not")
    }

    /// The text of `path = "…"`; the tokens know only where its quotes are.
    fn path(&self, attribute: &Range<usize>) -> Option<String> {
        let tokens = self.tokens.get(attribute.clone())?;
        let word = tokens.iter().position(|token| token.text == "path")?;
        let mut quotes = tokens
            .get(word..)?
            .iter()
            .filter(|token| token.text == "\"");
        let (open, close) = (quotes.next()?, quotes.next()?);
        self.text.get(open.at + 1..close.at).map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::{Declaration, Outline, RustFile, outline};

    fn read(text: &str) -> Outline {
        outline(&RustFile::new("src/lib.rs", text))
    }

    fn plain(name: &str) -> Declaration {
        Declaration {
            name: name.to_owned(),
            inside: vec![],
            paths: vec![],
            test_only: false,
        }
    }

    #[test]
    fn finds_modules_of_every_visibility() {
        let outline = read("mod a;\npub(crate) mod b;\n// mod c;\nmod d { fn f() {} }\n");
        assert_eq!(outline.declarations, [plain("a"), plain("b")]);
    }

    #[test]
    fn an_attribute_may_name_the_file() {
        let outline = read("#[path = \"x/slot.rs\"]\nmod slot;\nmod other;\n");
        assert_eq!(outline.declarations[0].paths, ["x/slot.rs"]);
        assert_eq!(outline.declarations[1], plain("other"));
    }

    #[test]
    fn inline_modules_lead_to_their_folder() {
        let outline = read("mod a { mod b { mod c; } mod d; }\nmod e;\n");
        let inside: Vec<&[String]> = outline
            .declarations
            .iter()
            .map(|declaration| declaration.inside.as_slice())
            .collect();
        assert_eq!(inside[0], ["a", "b"]);
        assert_eq!(inside[1], ["a"]);
        assert!(inside[2].is_empty());
    }

    #[test]
    fn test_modules_are_told_from_others() {
        let text = "#[cfg(test)]\nmod tests {\n    mod laws;\n}\n\
            #[cfg(all(test, loom))]\nmod slots;\n\
            #[cfg(not(test))]\nmod real;\n";
        let outline = read(text);
        let test_only: Vec<bool> = outline
            .declarations
            .iter()
            .map(|declaration| declaration.test_only)
            .collect();
        assert_eq!(test_only, [true, true, false]);
        assert_eq!(outline.test_lines, [2..=4]);
    }
}
