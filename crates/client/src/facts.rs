//! The facts of a question as one number.
//!
//! Every fact is written with its length before it, so that different questions are never written alike; the
//! keyed hash of that is a number that nobody outside can predict or bring to coincide with another.

use std::{
    borrow::Cow,
    hash::{BuildHasher, Hasher, RandomState},
    sync::LazyLock,
};

use siphasher::sip128::SipHasher13;
use smallvec::SmallVec;

use crate::Check;

/// Longer than the facts of most questions: room that is taken at once is cheaper than room that grows, and than room on the
/// stack, which is asked before each byte where it is.
const USUAL_BYTES: usize = 256;

/// Facts as bytes.
pub(crate) type Bytes = Vec<u8>;

/// With secrets of this process.
static HASHER: LazyLock<SipHasher13> = LazyLock::new(|| {
    let random = || RandomState::new().build_hasher().finish();
    SipHasher13::new_with_keys(random(), random())
});

/// Of all facts, in whatever order the attributes come. What it costs and how it is called is no fact: the
/// same question may weigh more the next time.
pub(crate) fn fingerprint(check: &Check<'_>) -> u128 {
    hash(&all(check))
}

/// Of what is asked for, not of who asks: without user, org, API key, token and address. Which of these there are is in
/// it, since that says by what is counted.
pub(crate) fn shape(check: &Check<'_>) -> u128 {
    let mut bytes = room();
    write_kinds(check, &mut bytes);
    write_shape(check, &mut bytes);
    hash(&bytes)
}

/// Of what is asked about, roughly: the near family has the first part of the path and the method, the wide one neither.
/// Both have what kinds of facts there are about whoever asks.
pub(crate) fn families(check: &Check<'_>) -> [u128; 2] {
    let body = &check.body;
    let mut bytes = room();
    for fact in [&body.tier, &body.region, &body.scope] {
        write_fact(fact.as_deref(), &mut bytes);
    }
    write_kinds(check, &mut bytes);
    let mut names: SmallVec<[&str; 8]> = body.attributes.iter().map(|(name, _)| &**name).collect();
    names.sort_unstable();
    names.iter().for_each(|name| write_text(name, &mut bytes));
    let wide = hash(&bytes);
    let path = body.endpoint.as_deref();
    write_fact(path.map(first_part), &mut bytes);
    write_fact(body.method.as_deref(), &mut bytes);
    [hash(&bytes), wide]
}

/// Up to the second slash: `/items` of `/items/17/parts`.
fn first_part(path: &str) -> &str {
    let mut slashes = path.match_indices('/').map(|(at, _)| at);
    let end = slashes.find(|at| *at > 0);
    end.and_then(|end| path.get(..end)).unwrap_or(path)
}

/// Nothing written yet.
pub(crate) fn room() -> Bytes {
    Bytes::with_capacity(USUAL_BYTES)
}

/// Of any bytes, with the secrets of this process.
pub(crate) fn hash(bytes: &[u8]) -> u128 {
    HASHER.hash(bytes).as_u128()
}

/// All facts as bytes.
pub(crate) fn all(check: &Check<'_>) -> Bytes {
    let mut bytes = room();
    write_identity(check, &mut bytes);
    write_shape(check, &mut bytes);
    bytes
}

/// Who asks: user, org, API key, token, address.
pub(crate) fn write_identity(check: &Check<'_>, out: &mut Bytes) {
    let facts = identity(check);
    facts.into_iter().for_each(|fact| write_fact(fact, out));
}

/// What kinds of facts there are about whoever asks.
fn write_kinds(check: &Check<'_>, out: &mut Bytes) {
    let who = identity(check);
    out.extend(who.iter().map(|fact| u8::from(fact.is_some())));
}

fn identity<'c>(check: &'c Check<'_>) -> [Option<&'c str>; 5] {
    let body = &check.body;
    let facts = [&body.user_id, &body.org_id, &body.api_key, &body.token, &body.ip];
    facts.map(|fact| fact.as_deref())
}

/// One fact, or that there is none.
pub(crate) fn write_fact(fact: Option<&str>, out: &mut Bytes) {
    let Some(fact) = fact else {
        return out.push(0);
    };
    out.push(1);
    write_text(fact, out);
}

fn write_shape(check: &Check<'_>, out: &mut Bytes) {
    let body = &check.body;
    let facts = [&body.tier, &body.endpoint, &body.method, &body.region, &body.scope, &body.rule];
    facts.iter().for_each(|fact| write_fact(fact.as_deref(), out));
    if body.attributes.is_empty() {
        return;
    }
    let mut attributes: SmallVec<[&(Cow<'_, str>, Cow<'_, str>); 8]> =
        body.attributes.iter().collect();
    // Of two of one name the order matters, and is kept.
    attributes.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (name, value) in attributes {
        write_text(name, out);
        write_text(value, out);
    }
}

fn write_text(text: &str, out: &mut Bytes) {
    let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn variants() -> Vec<Check<'static>> {
        let new = Check::new;
        vec![
            new(),
            new().user("a"),
            new().user(""),
            new().org("a"),
            new().api_key("a"),
            new().token("a"),
            new().ip("a"),
            new().tier("a"),
            new().endpoint("a"),
            new().method("a"),
            new().region("a"),
            new().scope("a"),
            new().user("a").org("b"),
            new().user("ab"),
            new().user("a").org("a"),
            new().attribute("a", "b"),
            new().attribute("ab", ""),
            new().attribute("", "ab"),
            new().attribute("a", "b").attribute("a", "c"),
            new().attribute("a", "c").attribute("a", "b"),
            new().attribute("a", "b").attribute("c", "d"),
        ]
    }

    #[test]
    fn different_questions_are_never_written_alike() {
        let written: HashSet<Bytes> = variants().iter().map(all).collect();
        assert_eq!(written.len(), variants().len());
        let hashed: HashSet<u128> = variants().iter().map(fingerprint).collect();
        assert_eq!(hashed.len(), variants().len());
    }

    #[test]
    fn the_order_of_attributes_the_cost_and_the_name_are_no_facts() {
        let check = Check::new().user("ann").attribute("a", "1").attribute("b", "2");
        let other = Check::new().attribute("b", "2").attribute("a", "1").user("ann");
        assert_eq!(fingerprint(&check), fingerprint(&other));
        let dear = check.clone().cost(9).request_id("r-1");
        assert_eq!(fingerprint(&check), fingerprint(&dear));
        assert_eq!(shape(&check), shape(&dear));
    }

    #[test]
    fn a_shape_knows_what_is_asked_for_but_not_by_whom() {
        let base = shape(&Check::new().endpoint("/search"));
        let who = |name: &'static str| Check::new().user(name).org(name).api_key(name).token(name);
        let [one, other] = ["a", "b"].map(|name| shape(&who(name).ip(name).endpoint("/search")));
        assert_eq!(one, other);
        assert_ne!(one, base, "by what is counted is another thing");
        assert_ne!(base, shape(&Check::new().endpoint("/other")));
        assert_ne!(base, shape(&Check::new().endpoint("/search").tier("pro")));
        assert_ne!(base, shape(&Check::new().endpoint("/search").attribute("x", "y")));
    }
}
