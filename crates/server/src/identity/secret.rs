//! Secrets that are issued here, and what is kept of them.

use std::fmt;

use aws_lc_rs::rand;
use tollgate_rules::KeyDigest;

/// What a secret opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Decisions, for whoever a customer is.
    ApiKey,
    /// The admin side.
    Token,
}

/// A secret in clear, right after it was made. It is shown once and kept nowhere.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

/// Letters that survive every shell, header and address bar.
const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// 190 bits: nobody guesses them.
const RANDOM_CHARS: usize = 32;
/// As many as the checksum takes: 62⁶ is more than 2³².
const CHECK_CHARS: usize = 6;
/// What may be told of a secret, so that people know which one is meant.
const HINT_CHARS: usize = 8;
/// Bytes from here on would make some letters likelier than others.
const FAIR_BYTES: u8 = 248;

impl Kind {
    /// What such a secret begins with, so that it is known for one wherever it turns up.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Self::ApiKey => "tgk_",
            Self::Token => "tgt_",
        }
    }

    /// How long such a secret is.
    const fn chars(self) -> usize {
        self.prefix().len() + RANDOM_CHARS + CHECK_CHARS
    }
}

impl Secret {
    /// A new one.
    #[expect(
        clippy::expect_used,
        reason = "without randomness every secret could be guessed: nothing may be issued"
    )]
    pub(crate) fn generate(kind: Kind) -> Self {
        let mut text = String::with_capacity(kind.chars());
        text.push_str(kind.prefix());
        let full = kind.prefix().len() + RANDOM_CHARS;
        let mut bytes = [0; RANDOM_CHARS];
        while text.len() < full {
            rand::fill(&mut bytes).expect("the system gives random bytes");
            let fair = bytes.iter().filter(|byte| **byte < FAIR_BYTES);
            let wanted = full - text.len();
            text.extend(fair.take(wanted).map(|byte| letter(u32::from(*byte))));
        }
        let check = checksum(text.as_bytes());
        text.extend(check);
        Self(text)
    }

    /// Whether the text has the form of such a secret and its checksum is right: a slip of the finger is
    /// found without a look at those that were issued.
    pub(crate) fn is_sound(kind: Kind, text: &str) -> bool {
        if text.len() != kind.chars() || !text.starts_with(kind.prefix()) {
            return false;
        }
        let Some((said, check)) = text.split_at_checked(text.len() - CHECK_CHARS) else {
            return false;
        };
        let random = said.strip_prefix(kind.prefix()).unwrap_or_default();
        random.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && check.chars().eq(checksum(said.as_bytes()))
    }

    /// The secret itself, for the one answer that shows it.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Its first characters, by which people know it again.
    pub(crate) fn hint(&self) -> &str {
        self.0.get(..HINT_CHARS).unwrap_or_default()
    }
}

/// Never shown.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Hashes API keys so that only whoever has the deployment's secret can try keys out on what is stored.
#[derive(Clone)]
pub(crate) struct KeyHasher([u8; 32]);

const KEY_CONTEXT: &str = "tollgate api keys v1";
const PRINT_CONTEXT: &str = "tollgate api keys fingerprint v1";
/// 64 bits: enough to tell secrets apart, too few to try one out.
const PRINT_BYTES: usize = 8;
const TOKEN_CONTEXT: &str = "tollgate admin tokens v1";

impl KeyHasher {
    /// Over the deployment's secret.
    pub(crate) fn new(secret: &[u8]) -> Self {
        Self(blake3::derive_key(KEY_CONTEXT, secret))
    }

    /// What is kept of an API key.
    pub(crate) fn digest(&self, key: &str) -> KeyDigest {
        KeyDigest::new(*blake3::keyed_hash(&self.0, key.as_bytes()).as_bytes())
    }

    /// What tells the secret from another, and nothing of it.
    pub(crate) fn print(&self) -> String {
        let print = blake3::derive_key(PRINT_CONTEXT, &self.0);
        let bytes = print.iter().take(PRINT_BYTES);
        bytes.map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Never shown.
impl fmt::Debug for KeyHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHasher(…)")
    }
}

/// What is kept of an admin token. It needs no secret: nobody tries out 190 bits, and so it is known on
/// every node.
pub(crate) fn token_digest(token: &str) -> KeyDigest {
    KeyDigest::new(blake3::derive_key(TOKEN_CONTEXT, token.as_bytes()))
}

/// The letters of the checksum over what stands before it.
fn checksum(text: &[u8]) -> impl Iterator<Item = char> + use<> {
    let mut left = crc32(text);
    (0..CHECK_CHARS).map(move |_| {
        let sign = letter(left % 62);
        left /= 62;
        sign
    })
}

fn letter(number: u32) -> char {
    let place = usize::try_from(number % 62).unwrap_or(0);
    LETTERS.get(place).map_or('0', |letter| char::from(*letter))
}

/// CRC-32 as everybody has it: reflected, 0xEDB88320.
fn crc32(bytes: &[u8]) -> u32 {
    let crc = bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            let mask = 0_u32.wrapping_sub(crc & 1);
            (crc >> 1) ^ (0xEDB8_8320 & mask)
        })
    });
    !crc
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_checksum_is_the_one_that_everybody_has() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    // Proves: I2
    #[test]
    fn a_secret_is_sound_and_any_slip_is_caught() {
        for kind in [Kind::ApiKey, Kind::Token] {
            let secret = Secret::generate(kind);
            let text = secret.as_str();
            assert!(Secret::is_sound(kind, text), "{text}");
            assert_eq!(secret.hint(), &text[..8]);
            for place in 0..text.len() {
                for other in ["a", "Z", "9", "_"] {
                    let mut slip = text.to_owned();
                    slip.replace_range(place..=place, other);
                    assert_eq!(Secret::is_sound(kind, &slip), slip == text, "{slip}");
                }
                assert!(!Secret::is_sound(kind, &text[..place]));
            }
            assert!(!Secret::is_sound(kind, &format!("{text}0")));
        }
        let key = Secret::generate(Kind::ApiKey);
        assert!(!Secret::is_sound(Kind::Token, key.as_str()));
        assert!(!Secret::is_sound(Kind::ApiKey, &"ß".repeat(21)));
    }

    #[test]
    fn no_two_are_alike_and_all_letters_are_used() {
        let secrets: HashSet<String> =
            (0..1_000).map(|_| Secret::generate(Kind::ApiKey).as_str().to_owned()).collect();
        assert_eq!(secrets.len(), 1_000);
        let letters: HashSet<char> = secrets.iter().flat_map(|text| text.chars()).collect();
        assert_eq!(letters.len(), 63, "62 letters and `_`");
    }

    // Proves: I2
    #[test]
    fn what_is_kept_depends_on_the_secret_and_shows_nothing() {
        let (one, other) = (KeyHasher::new(b"one"), KeyHasher::new(b"other"));
        assert_eq!(one.digest("tgk_a"), one.digest("tgk_a"));
        assert_ne!(one.digest("tgk_a"), other.digest("tgk_a"));
        assert_ne!(one.digest("tgk_a"), one.digest("tgk_b"));
        assert_ne!(one.print(), other.print());
        assert_eq!(one.print().len(), 2 * PRINT_BYTES);
        assert_ne!(one.digest("tgt_a"), token_digest("tgt_a"));
        let secret = Secret::generate(Kind::Token);
        assert!(!format!("{secret:?} {one:?}").contains("tgt_"));
    }
}
