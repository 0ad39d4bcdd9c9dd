//! Replacing the one occurrence of a text.

use anyhow::bail;

/// Fails unless `find` occurs exactly once: a mutant that hits the wrong line proves nothing.
pub(crate) fn apply(text: &str, find: &str, replace: &str) -> anyhow::Result<String> {
    if find == replace {
        bail!("`find` and `replace` are the same text");
    }
    if find.is_empty() {
        bail!("`find` is empty");
    }
    match text.matches(find).count() {
        1 => Ok(text.replacen(find, replace, 1)),
        0 => bail!("the text to find does not occur: {find:?}"),
        times => bail!("the text to find occurs {times} times, it must be unique: {find:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::apply;

    #[test]
    fn replaces_the_only_occurrence() {
        assert_eq!(apply("a <= b", "<=", "<").unwrap(), "a < b");
    }

    #[test]
    fn refuses_a_text_that_is_missing_or_ambiguous() {
        let missing = apply("a == b", "<=", "<").unwrap_err();
        assert!(missing.to_string().contains("does not occur"), "{missing}");
        let twice = apply("a <= b <= c", "<=", "<").unwrap_err();
        assert!(twice.to_string().contains("occurs 2 times"), "{twice}");
    }

    #[test]
    fn refuses_a_mutant_that_changes_nothing() {
        assert!(apply("a <= b", "<=", "<=").is_err());
        assert!(apply("a <= b", "", "<").is_err());
    }
}
