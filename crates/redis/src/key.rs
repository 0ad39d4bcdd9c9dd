//! What a counter is called in Redis.
//!
//! `rl:{<scope>:<value>}:<rule>:<other facts>:<limit>`: readable, found by scope, and all counters of one scope are
//! in one slot. Only the braces that we write form the tag: those of users are escaped.

use std::sync::{Arc, LazyLock};

use tollgate_core::{CounterKey, Period, RuleId, Unit};

use crate::{Naming, slot::Slot};

/// The name of a counter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key(Arc<str>);

impl Key {
    /// One that was written down.
    pub(crate) fn read(text: &str) -> Self {
        Self(text.into())
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.as_bytes().to_vec()
    }

    pub(crate) fn slot(&self) -> Slot {
        Slot::of(self.as_bytes())
    }
}

/// How counters are named.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    pub(crate) prefix: String,
    pub(crate) naming: Naming,
}

/// What comes before the period in the names of a key's counters, and how many share its scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    text: String,
    pub(crate) breadth: Breadth,
}

/// How many requests count by a scope, few first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Breadth(usize);

/// Which fact becomes the tag, the first that is there. Whatever else a key is made of follows the rule.
/// `key` is all that a library's caller says.
const SCOPES: [&str; 8] = ["org", "user", "api_key", "ip", "attributes.", "tier", "region", "key"];
/// From the scope that fewest share to the one that most do.
const NARROW_TO_BROAD: [&str; 8] =
    ["key", "user", "api_key", "ip", "attributes.", "org", "region", "tier"];
/// A longer value is known by its digest.
const VALUE_BYTES_MAX: usize = 128;

impl Name {
    pub(crate) fn new(key: CounterKey<'_>, names: &Names) -> Self {
        let naming = names.naming;
        let mut best: Option<usize> = None;
        naming(key.values(), &mut |field, _| {
            let rank = scope(field);
            if rank.is_some_and(|rank| best.is_none_or(|best| rank < best)) {
                best = rank;
            }
        });
        let (mut tag, mut others) = (String::new(), String::new());
        let mut breadth = Breadth(NARROW_TO_BROAD.len());
        naming(key.values(), &mut |field, value| {
            if tag.is_empty() && (scope(field).is_some() && scope(field) == best) {
                tag = fact(field, value, ':');
                breadth = Breadth(place(&NARROW_TO_BROAD, field).unwrap_or(0));
            } else {
                let comma = if others.is_empty() { "" } else { "," };
                others += comma;
                others += &fact(field, value, '=');
            }
        });
        let mut text = String::with_capacity(names.prefix.len() + tag.len() + others.len() + 80);
        text += &names.prefix;
        text += ":{";
        if tag.is_empty() {
            text += "rule:";
            push_rule(key.rule(), &mut text);
        }
        text += &tag;
        text += "}:";
        push_rule(key.rule(), &mut text);
        text += ":";
        text += &others;
        text += ":";
        Self { text, breadth }
    }

    /// The counter of this period.
    pub(crate) fn counter(&self, period: Period) -> Key {
        let mut text = String::with_capacity(self.text.len() + 8);
        text += &self.text;
        write_period(period, &mut text);
        Key(text.into())
    }
}

fn scope(field: &str) -> Option<usize> {
    place(&SCOPES, field)
}

fn place(among: &[&str], field: &str) -> Option<usize> {
    among
        .iter()
        .position(|known| *known == field || (known.ends_with('.') && field.starts_with(known)))
}

fn fact(field: &str, value: &[u8], separator: char) -> String {
    let mut text = String::new();
    escape(field.as_bytes(), &mut text);
    text.push(separator);
    let is_secret = field == "api_key" && !is_issued(value);
    if is_secret || value.len() > VALUE_BYTES_MAX {
        text.push('#');
        text += digest(value).get(..DIGEST_CHARS).unwrap_or_default();
    } else {
        escape(value, &mut text);
    }
    text
}

/// Whether it is the id of an API key that was issued here, `k17`: any other text may be the key itself.
fn is_issued(value: &[u8]) -> bool {
    let number = value.strip_prefix(b"k").unwrap_or_default();
    !number.is_empty() && number.iter().all(u8::is_ascii_digit)
}

/// 128 bits: nobody finds two values with one digest.
const DIGEST_CHARS: usize = 32;

/// Keyed, so that the digest of a secret is of no use to whoever knows digests from elsewhere.
fn digest(value: &[u8]) -> String {
    static KEY: LazyLock<[u8; 32]> =
        LazyLock::new(|| blake3::derive_key("tollgate names of counters in redis 1", b""));
    blake3::keyed_hash(&KEY, value).to_hex().to_string()
}

fn escape(bytes: &[u8], out: &mut String) {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-@/+".contains(byte);
    if let (true, Ok(text)) = (bytes.iter().all(is_plain), std::str::from_utf8(bytes)) {
        out.push_str(text);
        return;
    }
    for byte in bytes {
        if is_plain(byte) {
            out.push(char::from(*byte));
        } else {
            out.push('%');
            out.push_str(&format!("{byte:02X}"));
        }
    }
}

/// The rule's id, as it is shown elsewhere.
fn push_rule(rule: RuleId, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in rule.get().to_be_bytes() {
        for half in [byte >> 4, byte & 0xf] {
            let digit = DIGITS.get(usize::from(half)).copied().unwrap_or(b'0');
            out.push(char::from(digit));
        }
    }
}

/// Periods that are equal are written alike: `60s` is `1min`.
fn write_period(period: Period, out: &mut String) {
    let length = period.length().get();
    let units = match period.unit() {
        Unit::Week => [Unit::Week].as_slice(),
        Unit::Month => &[Unit::Month],
        _ => &[Unit::Day, Unit::Hour, Unit::Minute, Unit::Second, Unit::Millisecond],
    };
    let whole = |unit: &&Unit| length.is_multiple_of(unit.length().get().max(1));
    let unit = units.iter().find(whole).copied().unwrap_or(Unit::Millisecond);
    let count = length.checked_div(unit.length().get()).unwrap_or(length);
    out.push_str(&count.to_string());
    out.push_str(unit.symbol());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(parts: &'static [(&'static str, &'static [u8])]) -> String {
        thread_local! { static PARTS: std::cell::Cell<&'static [(&'static str, &'static [u8])]> = const { std::cell::Cell::new(&[]) } }
        PARTS.set(parts);
        let naming: Naming =
            |_, part| PARTS.get().iter().for_each(|(field, value)| part(field, value));
        let names = Names { prefix: "rl".to_owned(), naming };
        let name = Name::new(CounterKey::new(RuleId::new(7), b""), &names);
        name.counter(Period::MINUTE).0.to_string()
    }

    // Proves: C2
    #[test]
    fn names_are_readable_and_tagged_by_scope() {
        const RULE: &str = "00000000000000000000000000000007";
        assert_eq!(name(&[("user", b"alice")]), format!("rl:{{user:alice}}:{RULE}::1min"));
        assert_eq!(
            name(&[("method", b"GET"), ("ip", b"10.0.0.7"), ("user", b"bob")]),
            format!("rl:{{user:bob}}:{RULE}:method=GET,ip=10.0.0.7:1min")
        );
        assert_eq!(name(&[]), format!("rl:{{rule:{RULE}}}:{RULE}::1min"));
        let plan = name(&[("attributes.plan", b"gold")]);
        assert_eq!(plan, format!("rl:{{attributes.plan:gold}}:{RULE}::1min"));
    }

    // Proves: C2
    #[test]
    fn what_users_write_never_forms_the_tag() {
        let odd = name(&[("user", b"a}{b:%,\n\xff#")]);
        assert!(odd.starts_with("rl:{user:a%7D%7Bb%3A%25%2C%0A%FF%23}:"), "{odd}");
        let long = name(&[("user", &[b'{'; 1_000])]);
        assert!(long.len() < 120 && long.starts_with("rl:{user:#"), "{long}");
        let secret = name(&[("api_key", b"sk_live_1")]);
        assert!(!secret.contains("sk_live"), "{secret}");
        let issued = name(&[("api_key", b"k17")]);
        assert!(issued.starts_with("rl:{api_key:k17}:"), "{issued}");
    }

    // Proves: C2
    #[test]
    fn equal_periods_are_written_alike() {
        let written = |count, unit| {
            let mut text = String::new();
            write_period(Period::new(count, unit).unwrap(), &mut text);
            text
        };
        assert_eq!(written(60, Unit::Second), "1min");
        assert_eq!(written(90, Unit::Second), "90s");
        assert_eq!(written(7, Unit::Day), "7day");
        assert_eq!(written(1, Unit::Week), "1week");
        assert_eq!(written(3, Unit::Month), "3month");
        assert_eq!(written(24, Unit::Hour), "1day");
        assert_eq!(written(1, Unit::Millisecond), "1ms");
    }
}
