//! The values that name a counter.
//!
//! A key is one run of bytes: for each fact a mark of what it is, and its value with its length before
//! it. So user `a` is never organisation `a`, and (`a_b`, `c`) never (`a`, `b_c`).

use std::{iter, net::IpAddr};

use smallvec::SmallVec;

use crate::{Field, Key, KeyField, Override, Query, Throttle, conditions::Facts, normalise};

/// The bytes of a counter's key.
pub(crate) type KeyBytes = SmallVec<[u8; 96]>;

/// What the counter of all requests is called that lack a fact.
pub(crate) const SHARED: u8 = u8::MAX;

/// The attribute that says which set of descriptors a request speaks of.
const DOMAIN: &str = "domain";

/// A fact with the value it counts by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Part<'a> {
    field: &'a Field,
    value: Value<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value<'a> {
    Text(&'a str),
    Address(IpAddr),
}

/// Appends the key of a throttle for a request.
///
/// # Errors
///
/// The key field for which the request has no fact.
pub(crate) fn append<'r>(
    throttle: &'r Throttle,
    pattern: Option<&str>,
    facts: &Facts<'_, '_>,
    out: &mut KeyBytes,
) -> Result<(), &'r KeyField> {
    let mut parts: SmallVec<[Part<'_>; 4]> = SmallVec::new();
    for field in throttle.key.fields() {
        parts.push(present(field, pattern, facts).ok_or(field)?);
    }
    write(&mut parts, out);
    Ok(())
}

/// The key of the counter that all requests share which lack a fact.
pub(crate) fn append_shared(out: &mut KeyBytes) {
    out.push(SHARED);
}

/// Appends the key of a descriptor: its domain and its entries, in their order.
pub(crate) fn append_descriptor(query: &Query<'_>, out: &mut KeyBytes) {
    let domain = query.attribute_value(DOMAIN).map(|domain| (DOMAIN, domain));
    let entries = query.descriptor_entries().unwrap_or_default();
    for (name, value) in domain.iter().chain(entries) {
        out.push(Field::ATTRIBUTE_TAG);
        write_text(name.as_bytes(), out);
        write_text(value.as_bytes(), out);
    }
}

/// The key an override speaks of. One for all rules names an address of IPv6 by the network they count
/// by; one for a rule names it as that rule does. `None` if a value cannot be the value of its field.
pub(crate) fn of_override(exception: &Override) -> Option<KeyBytes> {
    let prefix = match exception.rule {
        None => KeyField::IPV6_PREFIX_DEFAULT,
        Some(_) => 128,
    };
    let mut parts: SmallVec<[Part<'_>; 4]> = SmallVec::new();
    for (field, text) in &exception.key {
        let value = match field {
            Field::Ip => {
                let address = normalise::address(text).ok()?;
                Value::Address(normalise::network_of(address, prefix))
            }
            _ => Value::Text(text),
        };
        parts.push(Part { field, value });
    }
    let mut bytes = KeyBytes::new();
    write(&mut parts, &mut bytes);
    Some(bytes)
}

/// The first alternative that the request has.
fn present<'a>(
    field: &'a KeyField,
    pattern: Option<&'a str>,
    facts: &'a Facts<'_, '_>,
) -> Option<Part<'a>> {
    let query = facts.query;
    let value = |name: &Field| match name {
        Field::User => query.user_name().map(Value::Text),
        Field::Org => query.org_name().map(Value::Text),
        Field::ApiKey => query.api_key_id().map(Value::Text),
        Field::Tier => Some(Value::Text(facts.tier)),
        Field::Region => query.region_name().map(Value::Text),
        Field::Endpoint => pattern.or_else(|| query.path()).map(Value::Text),
        Field::Method => query.method_text().map(Value::Text),
        Field::Attribute(name) => query.attribute_value(name).map(Value::Text),
        Field::Ip => query
            .ip_address()
            .map(|address| Value::Address(normalise::network_of(address, field.ipv6_prefix()))),
    };
    let mut alternatives = field.alternatives().iter();
    alternatives.find_map(|field| value(field).map(|value| Part { field, value }))
}

fn write(parts: &mut [Part<'_>], out: &mut KeyBytes) {
    if parts.len() > 1 {
        parts.sort_unstable();
    }
    for part in parts {
        #[cfg(not(mutant = "keys-without-field"))]
        out.push(part.field.tag());
        if let Field::Attribute(name) = part.field {
            write_text(name.as_bytes(), out);
        }
        match part.value {
            Value::Text(text) => write_text(text.as_bytes(), out),
            Value::Address(IpAddr::V4(address)) => write_text(&address.octets(), out),
            Value::Address(IpAddr::V6(address)) => write_text(&address.octets(), out),
        }
    }
}

fn write_text(text: &[u8], out: &mut KeyBytes) {
    let len = u32::try_from(text.len()).unwrap_or(u32::MAX);
    #[cfg(not(mutant = "keys-without-length"))]
    out.extend_from_slice(&len.to_be_bytes());
    out.extend_from_slice(text);
}

/// How much of an API key people are shown.
const API_KEY_CHARS_SHOWN: usize = 4;

/// The key for people: `user=alice`, `ip=10.0.0.7, method=GET`.
pub(crate) fn in_words(mut key: &[u8]) -> String {
    match key {
        [] => return "(everyone)".to_owned(),
        [SHARED] => return "(all without the fact)".to_owned(),
        _ => {}
    }
    let mut words = String::new();
    while let Some((field, value, rest)) = read_part(key) {
        let comma = if words.is_empty() { "" } else { ", " };
        words += &format!("{comma}{field}={value}");
        key = rest;
    }
    words
}

/// The facts that are in a key of this rule: `user`, and `ip/64` for an address that counts by its network.
pub(crate) fn fields(mut bytes: &[u8], key: Option<&Key>) -> impl Iterator<Item = String> {
    iter::from_fn(move || {
        let (field, value, rest) = read_raw(bytes)?;
        bytes = rest;
        Some(match address(&field, value) {
            Some(IpAddr::V6(_)) => format!("{field}/{}", ipv6_prefix(key)),
            _ => field.to_string(),
        })
    })
}

fn ipv6_prefix(key: Option<&Key>) -> u8 {
    let mut fields = key.map_or(&[][..], Key::fields).iter();
    let of_address = fields.find(|field| field.alternatives().contains(&Field::Ip));
    of_address.map_or(KeyField::IPV6_PREFIX_DEFAULT, KeyField::ipv6_prefix)
}

fn read_part(key: &[u8]) -> Option<(Field, String, &[u8])> {
    let (field, bytes, rest) = read_raw(key)?;
    let value = match (address(&field, bytes), &field) {
        (Some(address), _) => address.to_string(),
        // What a caller sends as a key may be the secret itself.
        (None, Field::ApiKey) => {
            let text = String::from_utf8_lossy(bytes);
            text.chars().take(API_KEY_CHARS_SHOWN).chain(['…']).collect()
        }
        (None, _) => String::from_utf8_lossy(bytes).into_owned(),
    };
    Some((field, value, rest))
}

/// A fact, the bytes of its value, and what follows. None of a counter that all share which lack a fact.
fn read_raw(key: &[u8]) -> Option<(Field, &[u8], &[u8])> {
    let (&tag, rest) = key.split_first()?;
    let named = Field::NAMED.into_iter().find(|field| field.tag() == tag);
    let (field, rest) = match named {
        Some(field) => (field, rest),
        None => {
            let (name, rest) = read_text(rest)?;
            let name = String::from_utf8_lossy(name);
            (Field::Attribute((&*name).into()), rest)
        }
    };
    let (bytes, rest) = read_text(rest)?;
    Some((field, bytes, rest))
}

/// The address that these bytes are, if the field is one.
pub(crate) fn address(field: &Field, bytes: &[u8]) -> Option<IpAddr> {
    if *field != Field::Ip {
        return None;
    }
    let (short, long) = (<[u8; 4]>::try_from(bytes), <[u8; 16]>::try_from(bytes));
    let short = short.map(IpAddr::from);
    short.or_else(|_| long.map(IpAddr::from)).ok()
}

/// A run of bytes with its length before it, and what follows.
pub(crate) fn read_text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (len, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(usize::try_from(u32::from_be_bytes(*len)).ok()?)
}
