//! Bytes as letters.

/// Without padding, as tokens are written.
pub fn base64url(bytes: &[u8]) -> String {
    base64(bytes, b"-_", Padding::None)
}

/// What stands at the end.
#[derive(Clone, Copy)]
pub(super) enum Padding {
    None,
    Full,
}

pub(super) fn base64(bytes: &[u8], last: &[u8; 2], padding: Padding) -> String {
    const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let letter = |place: u32| {
        let place = usize::try_from(place & 63).unwrap();
        char::from(*LETTERS.get(place).unwrap_or_else(|| &last[place - 62]))
    };
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let whole = three.iter().fold(0, |whole, byte| whole << 8 | u32::from(*byte));
        let whole = whole << (8 * (3 - three.len()));
        let letters = [18, 12, 6, 0].map(|shift| letter(whole >> shift));
        text.extend(letters.iter().take(three.len() + 1));
        if let Padding::Full = padding {
            text.extend(std::iter::repeat_n('=', 3 - three.len()));
        }
    }
    text
}
