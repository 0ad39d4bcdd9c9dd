//! What Envoy asks.

use std::borrow::Cow;

use smallvec::SmallVec;
use tollgate::{AlgorithmName, Cost, Limit, Part, Spend};
use tollgate_core::{Period, Unit as Length};
use tollgate_rls::{
    Entry, RateLimitDescriptor, RateLimitOverride, RateLimitRequest, RateLimitUnit, Unit,
};
use tollgate_rules::{
    OwnLimit, Query, QueryError,
    normalise::{IDENTIFIER_BYTES_MAX, is_control_or_bidi},
};

use crate::identity::{Identity, KeySource, Refused, Stated};

/// What Envoy asks, as text.
#[derive(Debug)]
pub(crate) struct Question<'r> {
    domain: Cow<'r, str>,
    descriptors: SmallVec<[Described<'r>; 4]>,
}

#[derive(Debug)]
struct Described<'r> {
    entries: Entries<'r>,
    /// What Envoy was told to hand on of the header `Authorization`. It is no entry: nothing is counted by it.
    authorization: Option<Cow<'r, str>>,
    identity: Result<Identity, Refused>,
    own_limit: Option<OwnLimit>,
    cost: Cost,
    spend: Spend,
}

const API_KEY: &str = "api_key";
const AUTHORIZATION: &[u8] = b"authorization";
const BEARER: &str = "bearer ";

/// Why a descriptor cannot be asked about. It may be the client's doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Crooked {
    /// A fact has no normal form.
    Fact(QueryError),
    /// The client is not who it says it is.
    Refused(Refused),
}

impl From<QueryError> for Crooked {
    fn from(error: QueryError) -> Self {
        Self::Fact(error)
    }
}

impl From<Refused> for Crooked {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl Described<'_> {
    /// What it says of whoever asks. Of several entries with one key the first does.
    fn stated(&self) -> Stated<'_> {
        let value = |name: &str| {
            let mut named = self.entries.iter().filter(|(key, _)| beginning(key) == name);
            named.next().map(|(_, value)| beginning(value))
        };
        let authorization = self.authorization.as_deref().map(str::trim_ascii);
        let token = authorization.map(|text| match text.split_at_checked(BEARER.len()) {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case(BEARER) => token,
            _ => text,
        });
        Stated {
            token,
            api_key: value(API_KEY),
            // It is what a client wrote into a header.
            key_source: KeySource::Client,
            user: value("user_id"),
            org: value("org_id"),
            tier: value("tier"),
            ip: None,
        }
    }
}

type Entries<'r> = SmallVec<[(Cow<'r, str>, Cow<'r, str>); 4]>;

/// Why a question cannot be answered. It is the fault of Envoy's configuration, never of a client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Wrong {
    #[error("the domain is empty: set `domain` in Envoy's rate limit filter")]
    NoDomain,
    #[error("there are no descriptors: set `rate_limits` on the route")]
    NoDescriptors,
    #[error("there are {0} descriptors, at most {max} can be asked about at once", max = Question::DESCRIPTORS_MAX)]
    TooManyDescriptors(usize),
    #[error("descriptor {0} has {1} entries, at most {max} are allowed", max = Question::ENTRIES_MAX)]
    TooManyEntries(usize, usize),
    #[error(
        "descriptor {0}: the limit has no known unit: use SECOND, MINUTE, HOUR, DAY, MONTH or YEAR"
    )]
    NoUnit(usize),
}

impl<'r> Question<'r> {
    /// The most descriptors of a question.
    pub(crate) const DESCRIPTORS_MAX: usize = 64;
    /// The most entries of a descriptor: with the domain they are as many attributes as there can be.
    pub(crate) const ENTRIES_MAX: usize = Query::ATTRIBUTES_MAX - 1;

    /// Reads a question.
    pub(crate) fn read(request: &'r RateLimitRequest) -> Result<Self, Wrong> {
        let domain = text(&request.domain);
        if domain.trim_ascii().is_empty() {
            return Err(Wrong::NoDomain);
        }
        match request.descriptors.len() {
            0 => return Err(Wrong::NoDescriptors),
            1..=Self::DESCRIPTORS_MAX => {}
            many => return Err(Wrong::TooManyDescriptors(many)),
        }
        let addend = u64::from(request.hits_addend.max(1));
        let descriptors = request.descriptors.iter().enumerate();
        let descriptors = descriptors.map(|(place, one)| described(place, one, addend));
        Ok(Self { descriptors: descriptors.collect::<Result<_, _>>()?, domain })
    }

    /// Finds out for whom each descriptor asks. One that is not believed is denied: an error is what Envoy lets pass, and a
    /// client may have written what a descriptor states.
    pub(crate) fn identify(&mut self, identify: impl Fn(&Stated<'_>) -> Result<Identity, Refused>) {
        for one in &mut self.descriptors {
            one.identity = identify(&one.stated());
        }
    }

    /// Each descriptor as a request. One whose path has no normal form is an error: nobody shall get
    /// around the rules of a path by misspelling it.
    pub(crate) fn parts(&self) -> SmallVec<[Result<Part<'_>, Crooked>; 4]> {
        let parts = self.descriptors.iter().map(|one| part(&self.domain, one));
        parts.collect()
    }
}

fn described(
    place: usize,
    descriptor: &RateLimitDescriptor,
    addend: u64,
) -> Result<Described<'_>, Wrong> {
    let entries = &descriptor.entries;
    if entries.len() > Question::ENTRIES_MAX {
        return Err(Wrong::TooManyEntries(place, entries.len()));
    }
    let is_secret = |entry: &&Entry| entry.key.eq_ignore_ascii_case(AUTHORIZATION);
    let authorization = entries.iter().find(is_secret);
    let entries = entries
        .iter()
        .filter(|entry| !is_secret(entry))
        .map(|entry| (text(&entry.key), text(&entry.value)));
    let own_limit = match &descriptor.limit {
        None => None,
        Some(limit) => Some(own_limit(limit).ok_or(Wrong::NoUnit(place))?),
    };
    let (cost, spend) = match descriptor.hits_addend {
        None => (addend, Spend::Charge),
        // Whoever only looks wants to know whether there is anything left.
        Some(0) => (1, Spend::Look),
        Some(own) => (own, Spend::Charge),
    };
    Ok(Described {
        entries: entries.collect(),
        authorization: authorization.map(|entry| text(&entry.value)),
        identity: Ok(Identity::default()),
        own_limit,
        cost: Cost::new(cost),
        spend,
    })
}

/// A fixed window, as envoyproxy/ratelimit counts.
fn own_limit(given: &RateLimitOverride) -> Option<OwnLimit> {
    let period = period(RateLimitUnit::try_from(given.unit).ok()?)?;
    if given.requests_per_unit == 0 {
        return Some(OwnLimit::Nothing);
    }
    let limit = Limit::new(given.requests_per_unit.into(), period).ok()?;
    let limit = limit.with_algorithm(AlgorithmName::FixedWindow).ok()?;
    Some(OwnLimit::Limit(limit))
}

fn part<'q>(domain: &'q str, described: &'q Described<'_>) -> Result<Part<'q>, Crooked> {
    let identity = described.identity.as_ref().map_err(|refused| *refused)?;
    let shown = |key: &str, value: &'q str| match identity.key_id() {
        // A key is never counted by, nor shown: what it is called is.
        Some(id) if key == API_KEY => id,
        _ => beginning(value),
    };
    let entries: SmallVec<[(&str, &str); 4]> = described
        .entries
        .iter()
        .map(|(key, value)| (beginning(key), shown(beginning(key), value)))
        .collect();
    let mut query = Query::new().descriptor(&entries)?;
    attribute(&mut query, "domain", beginning(domain))?;
    for ((key, value), (_, whole)) in entries.iter().zip(&described.entries) {
        if attribute(&mut query, key, value)? == Place::New {
            fact(&mut query, key, value, whole)?;
        }
    }
    if identity.ignores_key() {
        query.clear_api_key();
    }
    identity.fill(&mut query)?;
    query.set_cost(described.cost);
    if let Some(limit) = &described.own_limit {
        query.set_own_limit(limit.clone());
    }
    Ok(Part { query, spend: described.spend })
}

/// Whether there was an entry with the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    New,
    Taken,
}

/// An entry as an attribute. Of several with one key the first is.
fn attribute<'q>(query: &mut Query<'q>, key: &'q str, value: &'q str) -> Result<Place, QueryError> {
    if query.attribute_value(key).is_some() {
        return Ok(Place::Taken);
    }
    query.add_attribute(key, value)?;
    Ok(Place::New)
}

/// An entry as a fact, if its key is the name of one. What an operator calls `path` or `method` need not
/// be one; then it is an attribute and no more.
fn fact<'q>(
    query: &mut Query<'q>,
    key: &str,
    value: &'q str,
    whole: &'q str,
) -> Result<(), QueryError> {
    match key {
        "user_id" => query.set_user(value),
        "org_id" => query.set_org(value),
        "tier" => query.set_tier(value),
        API_KEY => query.set_api_key(value),
        "path" if whole.trim_ascii().starts_with('/') => query.set_endpoint(whole.trim_ascii()),
        "remote_address" => {
            // An interface is no part of an address; a failed setter leaves the fact as it was.
            let address = value.split_once('%').map_or(value, |(address, _)| address);
            drop(query.set_ip(address));
            Ok(())
        }
        "method" if is_token(value) => query.set_method(value),
        _ => Ok(()),
    }
}

/// Whether it could be a method, though perhaps a longer one than there are.
fn is_token(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    !text.is_empty() && text.bytes().all(plain)
}

/// As text. What is none is replaced and not refused: Envoy lets pass what it gets no answer to.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(bytes);
    if text.contains(is_control_or_bidi) {
        let plain = |letter: char| match letter {
            letter if is_control_or_bidi(letter) => char::REPLACEMENT_CHARACTER,
            letter => letter,
        };
        return Cow::Owned(text.chars().map(plain).collect());
    }
    text
}

/// So much of a text as an identifier may have. A longer one is counted by its beginning.
pub(super) fn beginning(text: &str) -> &str {
    let text = text.trim_ascii();
    let end = text.floor_char_boundary(IDENTIFIER_BYTES_MAX);
    text.get(..end).unwrap_or_default().trim_ascii()
}

/// The period of a unit; none if it is unknown. Months and years are those of the calendar.
pub(super) fn period(unit: RateLimitUnit) -> Option<Period> {
    match unit {
        RateLimitUnit::Unknown => None,
        RateLimitUnit::Second => Some(Period::SECOND),
        RateLimitUnit::Minute => Some(Period::MINUTE),
        RateLimitUnit::Hour => Some(Period::HOUR),
        RateLimitUnit::Day => Some(Period::DAY),
        RateLimitUnit::Month => Some(Period::MONTH),
        RateLimitUnit::Year => year(),
    }
}

/// The unit that is as long as a period; unknown if none is.
pub(super) fn unit(period: Period) -> Unit {
    match period {
        period if period == Period::SECOND => Unit::Second,
        period if period == Period::MINUTE => Unit::Minute,
        period if period == Period::HOUR => Unit::Hour,
        period if period == Period::DAY => Unit::Day,
        period if period == Period::WEEK => Unit::Week,
        period if period == Period::MONTH => Unit::Month,
        period if Some(period) == year() => Unit::Year,
        _ => Unit::Unknown,
    }
}

fn year() -> Option<Period> {
    Period::new(12, Length::Month).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_as_it_is() {
        assert!(matches!(text("grüße".as_bytes()), Cow::Borrowed("grüße")));
        assert_eq!(beginning(" alice "), "alice");
    }

    #[test]
    fn other_bytes_are_replaced() {
        assert_eq!(text(b"a\xffb\tc"), "a\u{fffd}b\u{fffd}c");
        // An identifier may not hold them, and what is refused Envoy lets pass.
        for steering in ["\u{9b}", "\u{202e}", "\u{2028}", "\u{61c}"] {
            assert_eq!(text(format!("a{steering}").as_bytes()), "a\u{fffd}");
        }
    }

    #[test]
    fn what_is_too_long_is_cut_between_letters() {
        let long = format!("{}ß", "x".repeat(IDENTIFIER_BYTES_MAX - 1));
        assert_eq!(beginning(&long).len(), IDENTIFIER_BYTES_MAX - 1);
    }

    #[test]
    fn every_unit_comes_back() {
        for number in 1..=6 {
            let asked = RateLimitUnit::try_from(number).unwrap();
            assert_eq!(unit(period(asked).unwrap()) as i32, number);
        }
        assert_eq!(period(RateLimitUnit::Unknown), None);
        assert_eq!(unit(Period::WEEK), Unit::Week);
        assert_eq!(unit(Period::new(30, Length::Second).unwrap()), Unit::Unknown);
        assert_eq!(unit(Period::new(24, Length::Hour).unwrap()), Unit::Day);
    }
}
