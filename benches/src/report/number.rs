//! Numbers as people read them.

/// Three digits that mean something.
pub(super) fn short(number: f64) -> String {
    match number {
        _ if number < 10.0 => format!("{number:.2}"),
        _ if number < 100.0 => format!("{number:.1}"),
        _ => format!("{number:.0}"),
    }
}

pub(super) fn keys(keys: usize) -> String {
    match keys {
        1 => "1 key".to_owned(),
        _ if keys.is_multiple_of(1_000_000) => format!("{} M", keys / 1_000_000),
        _ if keys.is_multiple_of(1_000) => format!("{} k", keys / 1_000),
        _ => keys.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{keys, short};

    #[test]
    fn three_digits() {
        assert_eq!([1.234, 12.34, 123.4].map(short), ["1.23", "12.3", "123"]);
    }

    #[test]
    fn thousands_and_millions() {
        assert_eq!(
            [1, 500, 100_000, 10_000_000].map(keys),
            ["1 key", "500", "100 k", "10 M"]
        );
    }
}
