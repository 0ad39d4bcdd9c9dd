//! One layout for every rules file, with its comments.

mod check;
mod tree;
mod write;

pub use check::FormatError;
pub(super) use write::{in_double_quotes, place_in_rule};

/// The rules file in its canonical layout: two blanks of indentation, quotes only where they are
/// needed, the fields of a rule in the order of the manual. Comments, blank lines between things, and
/// the order of rules stay. A list or mapping in brackets stays in brackets if it fits a line and has
/// no comment inside.
///
/// The result says the same as `text`; that is checked before it is returned. In a file with anchors
/// the fields keep their order, since an alias must come after its anchor.
///
/// # Errors
///
/// [`FormatError`] for what is not YAML or has no canonical layout; the file is then best left alone.
///
/// ```
/// use tollgate_rules::document;
///
/// let text = "version:   1\nrules:\n- limit: '5/min' # for now\n  name: login\n  key: [ user ]\n";
/// let canonical = "version: 1\nrules:\n  - name: login\n    key: [user]\n    limit: 5/min  # for now\n";
/// assert_eq!(document::format(text)?, canonical);
/// assert_eq!(document::format(canonical)?, canonical);
/// # Ok::<(), tollgate_rules::document::FormatError>(())
/// ```
pub fn format(text: &str) -> Result<String, FormatError> {
    let original = tree::build(text)?;
    let mut ordered = original.clone();
    write::order(&mut ordered);
    let formatted = write::write(&ordered);
    let again = tree::build(&formatted).map_err(|_| FormatError::Check)?;
    if !check::says_the_same(&original, &again) {
        return Err(FormatError::Check);
    }
    Ok(formatted)
}
