//! Texts of clients that are told back, or put on record, without the secrets that somebody put there by mistake.

/// What our secrets begin with.
const SECRETS: [&str; 2] = ["tgk_", "tgt_"];

/// The same text in which a key or a token has no more than its beginning.
pub(super) fn masked(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let next = SECRETS.iter().filter_map(|secret| rest.find(secret)).min();
        let Some((before, secret)) = next.and_then(|at| rest.split_at_checked(at)) else {
            shown.push_str(rest);
            return shown;
        };
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let after = secret.trim_start_matches(is_part);
        shown.push_str(before);
        shown.push_str(secret.get(..4).unwrap_or_default());
        shown.push('…');
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::masked;

    // Proves: I2
    #[test]
    fn a_secret_is_not_told_back() {
        for (text, shown) in [
            ("k17", "k17"),
            ("tgk_abc123", "tgk_…"),
            ("POST /api-keys/tgk_abc/revoke", "POST /api-keys/tgk_…/revoke"),
            ("a tgt_1 b tgk_2", "a tgt_… b tgk_…"),
            ("", ""),
        ] {
            assert_eq!(masked(text), shown);
        }
    }
}
