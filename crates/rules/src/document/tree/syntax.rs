//! What YAML itself finds wrong, in words that say what to do.

use granit_parser::ErrorKind;

/// A message and what to do about it.
pub(super) fn explain(kind: &ErrorKind) -> (String, Option<&'static str>) {
    let (message, help) = match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart => (
            "a tab where YAML wants spaces".to_owned(),
            "indent with spaces",
        ),
        ErrorKind::UnclosedQuotedScalar | ErrorKind::DocumentIndicatorInQuotedScalar => {
            ("a quoted text has no end".to_owned(), "close the quotes")
        }
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
            "write { a: 1, b: 2 }",
        ),
        ErrorKind::ExpectedFlowSequenceSeparator => (
            "a list in brackets goes on without a comma".to_owned(),
            "write [a, b]",
        ),
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => (
            "a colon where no field can begin".to_owned(),
            "quote a text that holds \": \", or check the indentation",
        ),
        ErrorKind::InvalidIndentation
        | ErrorKind::ExpectedBlockMappingKey
        | ErrorKind::ExpectedBlockSequenceEntry
        | ErrorKind::BlockSequenceEntryNotAllowed
        | ErrorKind::MappingKeyNotAllowed => (
            "this line does not fit those above it".to_owned(),
            "fields of one mapping begin in the same column, items of a list with the same \"- \"",
        ),
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => (
            "a field has no colon".to_owned(),
            "write name: value, with a blank after the colon",
        ),
        ErrorKind::UnexpectedCharacter { character } => (
            format!("a text may not begin with {character:?}"),
            "quote the text",
        ),
        ErrorKind::UnknownQuotedScalarEscape => (
            "an unknown escape in a quoted text".to_owned(),
            "write \\\\ for a backslash, or use single quotes",
        ),
        ErrorKind::CommentNotSeparated => (
            "a comment sticks to what is before it".to_owned(),
            "put a blank before the #",
        ),
        ErrorKind::DirectiveDisallowed => (
            "a line that begins with % is a YAML directive, and none is read".to_owned(),
            "remove the line",
        ),
        other => return (format!("this is not YAML: {other}"), None),
    };
    (message, Some(help))
}
