//! Which field a mistyped one was meant to be.

/// The longest name that is compared: beyond it nothing can be near.
const COMPARED_BYTES_MAX: usize = 24;
/// The shortest part of a name that stands for it.
const PART_BYTES_MIN: usize = 2;

/// The candidate that is near enough to be meant: one of whose name the given is a part, else the one
/// with the fewest edits between.
pub(super) fn nearest(
    given: &str,
    mut candidates: impl Iterator<Item = &'static str> + Clone,
) -> Option<&'static str> {
    if given.len() > COMPARED_BYTES_MAX {
        return None;
    }
    let given = given.to_ascii_lowercase().replace('-', "_");
    let bare = given.replace('_', "");
    let is_part = |candidate: &&str| {
        let whole = candidate.replace('_', "");
        bare.len() >= PART_BYTES_MIN && (whole.starts_with(&bare) || whole.ends_with(&bare))
    };
    let near = |candidate: &'static str| {
        let edits = edits(given.as_bytes(), candidate.as_bytes());
        (edits <= given.len().max(candidate.len()) / 3).then_some((edits, candidate))
    };
    let by_edits = candidates.clone().filter_map(near).min();
    match by_edits {
        Some((_, name)) => Some(name),
        None => candidates.find(is_part),
    }
}

/// Levenshtein's distance, one row at a time.
fn edits(given: &[u8], candidate: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=given.len()).collect();
    for (line, wanted) in candidate.iter().enumerate() {
        let mut diagonal = line;
        let mut left = line + 1;
        for (cell, letter) in row.iter_mut().skip(1).zip(given) {
            let replaced = diagonal + usize::from(letter != wanted);
            diagonal = *cell;
            left = replaced.min(*cell + 1).min(left + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = line + 1;
        }
    }
    row.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["user_id", "org_id", "api_key", "ip", "endpoint", "method"].into_iter();
        for (given, meant) in [
            ("user", Some("user_id")),
            ("userId", Some("user_id")),
            ("org", Some("org_id")),
            ("key", Some("api_key")),
            ("apikey", Some("api_key")),
            ("endpont", Some("endpoint")),
            ("Method", Some("method")),
            ("path", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(given, names.clone()), meant, "{given}");
        }
    }
}
