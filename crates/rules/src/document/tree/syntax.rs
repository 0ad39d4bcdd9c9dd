//! What YAML itself finds wrong, in words that say what to do.

use granit_parser::ErrorKind;

type Advice = (String, &'static str);

/// A message and what to do about it.
pub(super) fn explain(kind: &ErrorKind) -> (String, Option<&'static str>) {
    let advice = brackets(kind)
        .or_else(|| layout(kind))
        .or_else(|| texts(kind));
    match advice {
        Some((message, help)) => (message, Some(help)),
        None => (format!("this is not YAML: {kind}"), None),
    }
}

/// Lists and mappings in brackets.
fn brackets(kind: &ErrorKind) -> Option<Advice> {
    let (message, help) = match kind {
        ErrorKind::UnclosedFlowCollection { open } => (
            format!("{open:?} is not closed"),
            "close it, or check the quotes and brackets after it",
        ),
        ErrorKind::MismatchedFlowCollectionEnd { open, close } => (
            format!("{open:?} is closed by {close:?}"),
            "brackets close in pairs: [ ] and { }",
        ),
        ErrorKind::MisplacedFlowCollectionEnd => (
            "a closing bracket without an opening one".to_owned(),
            "remove it, or quote the text it belongs to",
        ),
        ErrorKind::ExpectedFlowMappingSeparator => (
            "a mapping in braces goes on without a comma".to_owned(),
            "write { a: 1, b: 2 }, or close the braces",
        ),
        ErrorKind::ExpectedFlowSequenceSeparator => (
            "a list in brackets goes on without a comma".to_owned(),
            "write [a, b], or close the brackets",
        ),
        _ => return None,
    };
    Some((message, help))
}

/// Indentation, fields and items.
fn layout(kind: &ErrorKind) -> Option<Advice> {
    let (message, help) = match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabInPlainScalar
        | ErrorKind::TabAtBlockScalarStart => (
            "a tab where YAML wants spaces",
            "indent with spaces, here and below",
        ),
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => (
            "a colon where no field can begin",
            "quote a text that holds \": \", close the brackets before it, or check the indentation",
        ),
        ErrorKind::InvalidIndentation
        | ErrorKind::ExpectedBlockMappingKey
        | ErrorKind::ExpectedBlockSequenceEntry
        | ErrorKind::BlockSequenceEntryNotAllowed
        | ErrorKind::MappingKeyNotAllowed => (
            "this line does not fit those above it",
            "fields of one mapping begin in the same column, items of a list with the same \"- \"",
        ),
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => (
            "a field has no colon",
            "write name: value, with a blank after the colon",
        ),
        ErrorKind::CommentNotSeparated => (
            "a comment sticks to what is before it",
            "put a blank before the #",
        ),
        ErrorKind::DirectiveDisallowed => (
            "a line that begins with % is a YAML directive, and none is read",
            "remove the line",
        ),
        _ => return None,
    };
    Some((message.to_owned(), help))
}

/// Texts and their quotes.
fn texts(kind: &ErrorKind) -> Option<Advice> {
    let (message, help) = match kind {
        ErrorKind::UnclosedQuotedScalar | ErrorKind::DocumentIndicatorInQuotedScalar => {
            ("a quoted text has no end".to_owned(), "close the quotes")
        }
        ErrorKind::InvalidQuotedScalarIndent => (
            "a quoted text goes on where the next field should begin".to_owned(),
            "close the quotes where the text ends",
        ),
        ErrorKind::InvalidTrailingSingleQuotedScalar
        | ErrorKind::InvalidTrailingDoubleQuotedScalar => (
            "something follows the closing quotes".to_owned(),
            "write \\\" for a quote inside of quotes, or put a comma between two texts",
        ),
        ErrorKind::UnknownQuotedScalarEscape => (
            "an unknown escape in a quoted text".to_owned(),
            "write \\\\ for a backslash, or use single quotes",
        ),
        ErrorKind::UnexpectedCharacter { character } if !character.is_ascii_punctuation() => {
            (format!("{character:?} is no letter"), "remove it")
        }
        ErrorKind::UnexpectedCharacter { character } => (
            format!("a text may not begin with {character:?}"),
            "quote the text",
        ),
        _ => return None,
    };
    Some((message, help))
}
