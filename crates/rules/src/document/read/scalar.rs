//! Single values.

use std::{
    collections::HashSet, fmt::Display, hash::Hash, net::IpAddr, ops::RangeInclusive, rc::Rc,
    str::FromStr, sync::Arc,
};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use jiff::Timestamp as Moment;
use tollgate_core::{Micros, Timestamp};

use super::super::{
    findings::{Finding, Findings},
    tree::{Node, Style, Value},
};
use crate::{nearest::did_you_mean, normalise};

/// A text, written plainly or in quotes.
pub(super) fn text<'n>(node: &'n Node<'_>, what: &str, findings: &mut Findings) -> Option<&'n str> {
    match &node.value {
        Value::Text(text, _) => Some(text),
        Value::Nothing => {
            let finding = Finding::error(node.span, format!("{what} has no value"));
            findings.push(finding.help("give it one, or remove the field"));
            None
        }
        _ => {
            let message = format!("{what} must be a text, not {}", node.kind());
            let finding = Finding::error(node.head(), message);
            findings.push(finding.help("one value is allowed here"));
            None
        }
    }
}

/// A text that is one of the model's own values.
pub(super) fn parsed<T: FromStr<Err: Display>>(
    node: &Node<'_>,
    what: &str,
    findings: &mut Findings,
) -> Option<T> {
    let text = text(node, what, findings)?;
    text.parse().map_err(|error: T::Err| findings.error(node.span, error.to_string())).ok()
}

/// A text that is one of some words.
pub(super) fn word<T: Copy>(
    node: &Node<'_>,
    what: &str,
    words: &[(&'static str, T)],
    findings: &mut Findings,
) -> Option<T> {
    let given = text(node, what, findings)?;
    let known = words.iter().find(|(word, _)| *word == given);
    if known.is_none() {
        let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let given: String = given.chars().take(64).collect();
        let message = match all.as_slice() {
            [others @ .., last] => {
                format!("{what} is {} or {last}, not {given:?}", others.join(", "))
            }
            [] => format!("{what} is not {given:?}"),
        };
        let mut finding = Finding::error(node.span, message);
        finding.help = did_you_mean(&given, all);
        findings.push(finding);
    }
    known.map(|(_, value)| *value)
}

/// `true` or `false`.
pub(super) fn truth(node: &Node<'_>, what: &str, findings: &mut Findings) -> Option<bool> {
    match &node.value {
        Value::Text(text, Style::Plain) if text == "true" => Some(true),
        Value::Text(text, Style::Plain) if text == "false" => Some(false),
        _ => {
            let finding = Finding::error(node.head(), format!("{what} must be true or false"));
            findings.push(finding.help("write true or false, without quotes"));
            None
        }
    }
}

/// A whole number within a range.
pub(super) fn whole<T>(
    node: &Node<'_>,
    what: &str,
    range: RangeInclusive<T>,
    findings: &mut Findings,
) -> Option<T>
where
    T: FromStr + PartialOrd + Display,
{
    if matches!(node.value, Value::Nothing) {
        return text(node, what, findings).and(None);
    }
    let (least, most) = (range.start(), range.end());
    let message = format!("{what} must be a whole number from {least} to {most}");
    let finding = Finding::error(node.head(), message);
    match &node.value {
        Value::Text(digits, style) => match digits.parse() {
            Ok(_) if *style == Style::Quoted => {
                findings.push(finding.help("remove the quotes"));
                None
            }
            Ok(number) if range.contains(&number) && is_plain(digits) => Some(number),
            _ => {
                findings.push(finding);
                None
            }
        },
        _ => {
            findings.push(finding);
            None
        }
    }
}

/// Not `+5`, not `007`: one spelling for every number.
fn is_plain(digits: &str) -> bool {
    let digits = digits.strip_prefix('-').unwrap_or(digits);
    !digits.starts_with('+') && (digits == "0" || !digits.starts_with('0'))
}

/// `80%`.
pub(super) fn percent(
    node: &Node<'_>,
    what: &str,
    range: RangeInclusive<u16>,
    findings: &mut Findings,
) -> Option<u16> {
    let given = text(node, what, findings)?;
    let number = given.strip_suffix('%').filter(|number| is_plain(number));
    let number = number.and_then(|number| number.parse().ok());
    let number = number.filter(|number| range.contains(number));
    if number.is_none() {
        let (least, most) = (range.start(), range.end());
        let given: String = given.chars().take(64).collect();
        let message = format!("{what} is a percentage from {least}% to {most}%, not {given:?}");
        findings.push(Finding::error(node.span, message).help("write for example 100%"));
    }
    number
}

/// An identifier as a request's facts are: no blanks around it, not empty.
pub(super) fn identifier(node: &Node<'_>, what: &str, findings: &mut Findings) -> Option<Arc<str>> {
    let given = text(node, what, findings)?;
    match normalise::identifier(given) {
        Ok(Some(value)) => Some(value.into()),
        Ok(None) => {
            let finding = Finding::error(node.span, format!("{what} is empty"));
            findings.push(finding.help("an empty text is a missing fact, which nothing equals"));
            None
        }
        Err(error) => {
            findings.error(node.span, format!("{what} {error}"));
            None
        }
    }
}

/// The beginning or end of an identifier: blanks in it count.
pub(super) fn part(node: &Node<'_>, what: &str, findings: &mut Findings) -> Option<Arc<str>> {
    let given = text(node, what, findings)?;
    let max = normalise::IDENTIFIER_BYTES_MAX;
    let wrong = if given.is_empty() {
        format!("{what} is empty: every text has it")
    } else if given.len() > max {
        format!("{what} has {} bytes, at most {max} are allowed", given.len())
    } else if given.contains(normalise::is_control_or_bidi) {
        format!("{what} holds a control character")
    } else {
        return Some(given.into());
    };
    findings.error(node.span, wrong);
    None
}

/// The longest owner or reason.
const NOTE_BYTES_MAX: usize = 1_000;

/// A text for people: an owner, a reason.
pub(super) fn note(node: &Node<'_>, what: &str, findings: &mut Findings) -> Option<Arc<str>> {
    prose(node, what, NOTE_BYTES_MAX, findings)
}

/// A text for people, of at most `max` bytes; line ends and tabs are the only controls.
pub(super) fn prose(
    node: &Node<'_>,
    what: &str,
    max: usize,
    findings: &mut Findings,
) -> Option<Arc<str>> {
    let given = text(node, what, findings)?;
    let is_control = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
    let wrong = if given.trim().is_empty() {
        format!("{what} is empty: give it words, or remove the field")
    } else if given.len() > max {
        format!("{what} has {} bytes, at most {max} are allowed", given.len())
    } else if given.contains(is_control) {
        format!("{what} holds a control character")
    } else {
        return Some(given.into());
    };
    findings.error(node.span, wrong);
    None
}

const UNITS: [(&str, u64); 6] = [
    ("us", 1),
    ("ms", 1_000),
    ("s", 1_000_000),
    ("min", 60_000_000),
    ("h", 3_600_000_000),
    ("day", 86_400_000_000),
];

/// The longest length of time in a test: a hundred years.
const LENGTH_MAX: u64 = 100 * 366 * 86_400_000_000;

/// A length of time: `42s`.
pub(super) fn length(node: &Node<'_>, what: &str, findings: &mut Findings) -> Option<Micros> {
    let given = text(node, what, findings)?;
    let length = micros(given).filter(|&length| length <= LENGTH_MAX);
    if length.is_none() {
        let given: String = given.chars().take(64).collect();
        let finding =
            Finding::error(node.span, format!("{what} {given:?} is not a length of time"));
        findings.push(finding.help("write a whole number and us, ms, s, min, h or day: 42s"));
    }
    length.map(Micros::new)
}

fn micros(text: &str) -> Option<u64> {
    let unit = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
    if number == 0 && unit.is_empty() {
        return Some(0);
    }
    let (_, size) = UNITS.iter().find(|(known, _)| *known == unit)?;
    number.checked_mul(*size)
}

/// A moment: `2027-01-01T00:00:00Z`.
pub(super) fn moment(node: &Node<'_>, what: &str, findings: &mut Findings) -> Option<Timestamp> {
    let given = text(node, what, findings)?;
    let moment = given.parse().ok().and_then(|moment: Moment| {
        let micros = u64::try_from(moment.as_microsecond()).ok()?;
        (micros <= Timestamp::MAX.as_micros()).then(|| Timestamp::from_micros(micros))
    });
    if moment.is_none() {
        let given: String = given.chars().take(64).collect();
        let message = format!("{what} {given:?} is not a moment from 1970 to 4252");
        let finding = Finding::error(node.span, message);
        findings.push(finding.help("write date, time and zone: 2027-01-01T00:00:00Z"));
    }
    moment
}

/// A moment as it is read.
pub(in crate::document) fn moment_text(moment: Timestamp) -> String {
    let micros = i64::try_from(moment.as_micros()).unwrap_or(i64::MAX);
    Moment::from_microsecond(micros).map_or_else(|_| String::new(), |moment| moment.to_string())
}

/// The nodes of a list of at most `max`.
pub(super) fn items<'n, 't>(
    node: &'n Node<'t>,
    what: &str,
    max: usize,
    findings: &mut Findings,
) -> Option<&'n [Rc<Node<'t>>]> {
    match &node.value {
        Value::List(items) if items.len() <= max => Some(items),
        Value::List(items) => {
            let message = format!("{what} has {} values, at most {max} are allowed", items.len());
            findings.error(node.span, message);
            None
        }
        Value::Nothing => {
            let finding = Finding::error(node.span, format!("{what} has no value"));
            findings.push(finding.help("write [] for none, or remove the field"));
            None
        }
        _ => {
            let message = format!("{what} must be a list, not {}", node.kind());
            let finding = Finding::error(node.head(), message);
            findings.push(finding.help("write [...], or put \"- \" before each item"));
            None
        }
    }
}

/// One value, or a list of at most `max`, each read by `each`. Nothing if one of them is wrong.
pub(super) fn values<T: Clone + Eq + Hash>(
    node: &Node<'_>,
    what: &str,
    max: usize,
    findings: &mut Findings,
    each: impl Fn(&Node<'_>, &str, &mut Findings) -> Option<T>,
) -> Option<Vec<T>> {
    let Value::List(_) = node.value else {
        return each(node, what, findings).map(|value| vec![value]);
    };
    let items = items(node, what, max, findings)?;
    if items.is_empty() {
        let finding = Finding::error(node.span, format!("{what} is an empty list"));
        findings.push(finding.help("nothing is in it: name a value, or remove the field"));
        return None;
    }
    let read: Vec<Option<T>> = items.iter().map(|item| each(item, what, findings)).collect();
    let mut known = HashSet::new();
    let mut unique = Vec::with_capacity(read.len());
    for (item, value) in items.iter().zip(&read) {
        let Some(value) = value else { continue };
        if known.insert(value) {
            unique.push(value.clone());
        } else {
            let finding = Finding::warning(item.span, format!("{what} lists this value twice"));
            findings.push(finding.help("remove it"));
        }
    }
    read.iter().all(Option::is_some).then_some(unique)
}

/// The nodes of a list, or the one node that stands for a list of one.
pub(super) fn one_or_many<'n, 't>(node: &'n Node<'t>) -> impl Iterator<Item = &'n Node<'t>> {
    let (many, alone): (&[Rc<Node<'t>>], _) = match &node.value {
        Value::List(items) => (items, None),
        _ => (&[], Some(node)),
    };
    many.iter().map(|item| &**item).chain(alone)
}

/// A network, or an address as a network of one. IPv4 in the clothes of IPv6 is IPv4.
pub(super) fn network(node: &Node<'_>, what: &str, findings: &mut Findings) -> Option<IpNet> {
    let given = text(node, what, findings)?;
    let network = match given.contains('/') {
        true => given.parse().ok(),
        false => normalise::address(given).ok().map(IpNet::from),
    };
    let Some(network) = network else {
        let given: String = given.chars().take(64).collect();
        let message = format!("{given:?} is neither a network nor an address");
        let finding = Finding::error(node.span, message);
        findings.push(finding.help("write for example 10.0.0.0/8, 192.0.2.1 or 2001:db8::/32"));
        return None;
    };
    if network.trunc() != network {
        let (prefix, address) = (network.prefix_len(), network.addr());
        let message = format!("{network} has bits set behind the first {prefix}");
        let finding = Finding::error(node.span, message);
        findings.push(finding.help(format!(
            "write {} for the network, or {address} for the one address",
            network.trunc()
        )));
        return None;
    }
    Some(folded(network))
}

/// Networks within `::ffff:0:0/96` are networks of IPv4.
fn folded(network: IpNet) -> IpNet {
    let IpNet::V6(six) = network else {
        return network;
    };
    let prefix = six.prefix_len().checked_sub(96);
    let four = six.addr().to_ipv4_mapped();
    match (four, prefix) {
        (Some(four), Some(prefix)) => Ipv4Net::new(four, prefix).map_or(IpNet::V6(six), IpNet::V4),
        _ => network,
    }
}

/// As short as it can be written: an address alone where the network holds no other.
pub(in crate::document) fn network_text(network: &IpNet) -> String {
    match network {
        IpNet::V4(one) if one.prefix_len() == 32 => one.addr().to_string(),
        IpNet::V6(one) if one.prefix_len() == 128 => one.addr().to_string(),
        other => other.to_string(),
    }
}

/// The address in a key's value: alone, or with the prefix it is counted by, as in `2001:db8::/56`.
pub(super) fn keyed_address(text: &str) -> Option<(IpAddr, Option<u8>)> {
    let Some((address, prefix)) = text.split_once('/') else {
        return Some((normalise::address(text).ok()?, None));
    };
    let address = normalise::address(address).ok()?;
    let prefix: u8 = prefix.parse().ok()?;
    match address {
        IpAddr::V4(_) => None,
        IpAddr::V6(address) => {
            let network = Ipv6Net::new(address, prefix).ok()?;
            (network.trunc() == network).then_some((address.into(), Some(prefix)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_a_unit() {
        assert_eq!(micros("0"), Some(0));
        assert_eq!(micros("42s"), Some(42_000_000));
        assert_eq!(micros("3min"), Some(180_000_000));
        for wrong in ["", "s", "42", "4.2s", "-1s", "42 s", "99999999999999999999s", "1week"] {
            assert_eq!(micros(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_last_moment_is_written_and_read() {
        let text = moment_text(Timestamp::MAX);
        assert!(text.starts_with("4253-"), "{text}");
    }
}
