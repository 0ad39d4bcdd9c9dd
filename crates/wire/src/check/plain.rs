//! Characters that stand for themselves in a string.

/// How many bytes at the start are neither a quote, a backslash nor a control character. Looks at eight
/// bytes at a time: this is where most of the time goes.
#[inline]
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    let (eights, rest) = bytes.as_chunks::<8>();
    for (place, eight) in eights.iter().enumerate() {
        let found = special(u64::from_le_bytes(*eight));
        if found != 0 {
            let within = usize::try_from(found.trailing_zeros() / 8).unwrap_or(0);
            return place * 8 + within;
        }
    }
    let is_special = |byte: &u8| *byte == b'"' || *byte == b'\\' || *byte < 0x20;
    let within = rest.iter().position(is_special);
    eights.len() * 8 + within.unwrap_or(rest.len())
}

/// The top bit of each byte that is special; above the lowest one there may be others that are not.
const fn special(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const TOPS: u64 = ONES << 7;
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let below = word.wrapping_sub(ONES * 0x20) & !word;
    ((quote.wrapping_sub(ONES) & !quote) | (backslash.wrapping_sub(ONES) & !backslash) | below)
        & TOPS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_at_every_place() {
        let fillers = [b'a', 0x20, 0x21, 0x23, 0x5b, 0x5d, 0x80, 0xa2, 0xdc, 0xff];
        for byte in 0..=u8::MAX {
            let is_special = byte == b'"' || byte == b'\\' || byte < 0x20;
            for (place, filler) in (0..20).flat_map(|place| fillers.map(|filler| (place, filler))) {
                let mut bytes = [filler; 20];
                bytes[place] = byte;
                let wanted = if is_special { place } else { 20 };
                assert_eq!(
                    plain_length(&bytes),
                    wanted,
                    "{byte} at {place} in {filler}"
                );
            }
        }
    }
}
