//! Which valid word a mistyped one was meant to be.

/// The candidate that is near enough to be meant, if one is; ties go to the first.
pub fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const READ_MAX: usize = 64;
    const CANDIDATES_MAX: usize = 1_000;
    let given: Vec<char> = letters(given).take(READ_MAX + 1).collect();
    if given.len() > READ_MAX {
        return None;
    }
    let ranked = candidates.into_iter().take(CANDIDATES_MAX).map(|candidate| {
        let wanted: Vec<char> = letters(candidate).take(READ_MAX).collect();
        let reach = (given.len().max(wanted.len()) / 3).max(1);
        (edits(&given, &wanted), reach, candidate)
    });
    let near = ranked.filter(|(edits, reach, _)| edits <= reach);
    near.min_by_key(|(edits, ..)| *edits).map(|(.., candidate)| candidate)
}

/// `did you mean "limit"?`, if a candidate is near enough.
pub(crate) fn did_you_mean<'a>(
    given: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(given, candidates).map(|word| format!("did you mean {word:?}?"))
}

/// `-` and `_` and the case of letters make no difference.
fn letters(text: &str) -> impl Iterator<Item = char> {
    let fold = |letter: char| if letter == '-' { '_' } else { letter };
    text.chars().flat_map(char::to_lowercase).map(fold)
}

/// How many letters must be added, removed, replaced, or swapped with their neighbour.
fn edits(given: &[char], wanted: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=given.len()).collect();
    let mut wanted_before = None;
    for (line, &letter) in wanted.iter().enumerate() {
        let mut row = vec![line + 1];
        let mut given_before = None;
        for (place, &found) in given.iter().enumerate() {
            let cell = |row: &[usize], place: usize| row.get(place).copied().unwrap_or(usize::MAX);
            let replaced = cell(&last, place).saturating_add(usize::from(found != letter));
            let removed = cell(&row, place).saturating_add(1);
            let added = cell(&last, place + 1).saturating_add(1);
            let mut best = replaced.min(removed).min(added);
            let is_swap = wanted_before == Some(found) && given_before == Some(letter);
            if let (true, Some(two_back)) = (is_swap, place.checked_sub(1)) {
                best = best.min(cell(&before, two_back).saturating_add(1));
            }
            row.push(best);
            given_before = Some(found);
        }
        before = std::mem::replace(&mut last, row);
        wanted_before = Some(letter);
    }
    last.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let words = ["limit", "limits", "on_failure", "key", "missing"];
        assert_eq!(nearest("limt", words), Some("limit"));
        assert_eq!(nearest("lmiit", words), Some("limit"));
        assert_eq!(nearest("On-Failure", words), Some("on_failure"));
        assert_eq!(nearest("kye", words), Some("key"));
        assert_eq!(nearest("banana", words), None);
        assert_eq!(nearest("", words), None);
        assert_eq!(nearest(&"k".repeat(100_000), words), None);
    }

    #[test]
    fn edits_are_counted() {
        let count = |one: &str, two: &str| {
            let letters = |text: &str| text.chars().collect::<Vec<char>>();
            edits(&letters(one), &letters(two))
        };
        assert_eq!(count("kitten", "sitting"), 3);
        assert_eq!(count("ab", "ba"), 1);
        assert_eq!(count("", "abc"), 3);
        assert_eq!(count("abc", ""), 3);
        assert_eq!(count("abc", "abc"), 0);
    }
}
