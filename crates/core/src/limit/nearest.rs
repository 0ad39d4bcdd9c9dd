//! Which valid name a mistyped one was meant to be.

/// The candidate that takes the fewest edits to reach; ties go to the first.
pub(crate) fn nearest<const N: usize>(given: &str, candidates: [&'static str; N]) -> &'static str {
    const READ_MAX: usize = 32;
    let given: Vec<char> = given.chars().take(READ_MAX).flat_map(char::to_lowercase).collect();
    let best = candidates.into_iter().min_by_key(|candidate| edits(&given, candidate));
    best.unwrap_or("")
}

/// Levenshtein's distance, one row at a time.
fn edits(given: &[char], candidate: &str) -> usize {
    let mut row: Vec<usize> = (0..=given.len()).collect();
    for (line, wanted) in candidate.chars().enumerate() {
        let mut diagonal = line;
        let mut left = line.saturating_add(1);
        for (cell, letter) in row.iter_mut().skip(1).zip(given) {
            let replaced = diagonal.saturating_add(usize::from(*letter != wanted));
            diagonal = *cell;
            left = replaced.min(cell.saturating_add(1)).min(left.saturating_add(1));
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = line.saturating_add(1);
        }
    }
    row.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_wins() {
        let names = ["token_bucket", "leaky_bucket", "fixed_window"];
        assert_eq!(nearest("tokenbucket", names), "token_bucket");
        assert_eq!(nearest("Leaky-Bucket", names), "leaky_bucket");
        assert_eq!(nearest("window", names), "fixed_window");
        assert_eq!(edits(&['a', 'b'], "ab"), 0);
        assert_eq!(edits(&['k', 'i', 't', 't', 'e', 'n'], "sitting"), 3);
    }
}
