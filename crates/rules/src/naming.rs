//! What the key of a counter is made of, for stores that give it a name people can read.

use std::str;

use smallvec::SmallVec;

use crate::{
    Field,
    counter::{SHARED, address, read_text},
};

/// What stands for the value that a request lacks.
const SHARED_NAME: &str = "shared";
/// What the name of an attribute begins with.
const ATTRIBUTES: &[u8] = b"attributes.";

/// Tells the parts of a counter's key, in their order: the name of each fact and its value. An address is told
/// as text; what all share that lack a fact is `shared` without a value. Bytes that are no key are told as far
/// as they can be read.
///
/// ```
/// use tollgate_rules::{Directory, Query, RuleSet, Snapshot, key_parts};
/// use tollgate_core::Timestamp;
///
/// let rules = "version: 1\nrules: [{ name: a, key: [user, ip], limit: 1/s }]";
/// let snapshot = Snapshot::compile(&rules.parse::<RuleSet>()?, 1);
/// let query = Query::new().user("alice")?.ip("10.0.0.7")?;
/// let plan = snapshot.plan(&query, &Directory::new(), Timestamp::EPOCH);
/// let mut told = String::new();
/// key_parts(plan.charges()[0].key.values(), &mut |name, value| {
///     told += &format!("{name}={} ", String::from_utf8_lossy(value));
/// });
/// assert_eq!(told, "user=alice ip=10.0.0.7 ");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn key_parts(mut key: &[u8], part: &mut dyn FnMut(&str, &[u8])) {
    if key == [SHARED] {
        return part(SHARED_NAME, b"");
    }
    while let Some(rest) = tell_part(key, part) {
        key = rest;
    }
}

fn tell_part<'k>(key: &'k [u8], part: &mut dyn FnMut(&str, &[u8])) -> Option<&'k [u8]> {
    let (&tag, rest) = key.split_first()?;
    let Some(field) = Field::NAMED.iter().find(|field| field.tag() == tag) else {
        let (name, rest) = read_text(rest)?;
        let (value, rest) = read_text(rest)?;
        let mut full: SmallVec<[u8; 64]> = ATTRIBUTES.into();
        full.extend_from_slice(name);
        part(str::from_utf8(&full).unwrap_or_default(), value);
        return Some(rest);
    };
    let (value, rest) = read_text(rest)?;
    match address(field, value) {
        Some(address) => part(field.word(), address.to_string().as_bytes()),
        None => part(field.word(), value),
    }
    Some(rest)
}
