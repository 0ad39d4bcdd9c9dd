//! The way a request came, as proxies note it.

use std::net::{IpAddr, SocketAddr};

/// One who handed the request on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hop {
    /// At this address.
    At(IpAddr),
    /// Hidden, unknown, or written so that nobody can read it.
    Unknown,
}

/// Of one line of `X-Forwarded-For`: addresses, the nearest last. Some proxies add the port.
pub(super) fn of_list(line: &[u8], hops: &mut Vec<Hop>) {
    let parts = line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
    let parts = parts.filter(|part| !part.is_empty());
    hops.extend(parts.map(|part| str::from_utf8(part).map_or(Hop::Unknown, hop)));
}

/// Of a header that holds one address.
pub(super) fn of_single(line: &[u8]) -> Hop {
    str::from_utf8(line.trim_ascii()).map_or(Hop::Unknown, hop)
}

/// Of one line of `Forwarded` (RFC 7239). A line that breaks the grammar anywhere is one unknown hop:
/// a quote that a client left open could otherwise hide what a proxy added.
pub(super) fn of_forwarded(line: &[u8], hops: &mut Vec<Hop>) {
    let before = hops.len();
    if read_forwarded(line, hops).is_none() {
        hops.truncate(before);
        hops.push(Hop::Unknown);
    }
}

fn read_forwarded(line: &[u8], hops: &mut Vec<Hop>) -> Option<()> {
    let mut rest = str::from_utf8(line).ok()?;
    let mut element = Element::default();
    loop {
        rest = blanks(rest);
        if !rest.starts_with([',', ';']) && !rest.is_empty() {
            rest = pair(rest, &mut element)?;
            rest = blanks(rest);
        }
        match rest.as_bytes().first() {
            Some(b';') => {}
            Some(b',') => hops.extend(std::mem::take(&mut element).end()),
            Some(_) => return None,
            None => {
                hops.extend(element.end());
                return Some(());
            }
        }
        rest = rest.get(1..)?;
    }
}

/// What one proxy wrote.
#[derive(Debug, Default)]
struct Element {
    client: Option<Hop>,
    has_pairs: Option<()>,
}

impl Element {
    /// None for one in which nothing is written.
    fn end(self) -> Option<Hop> {
        self.has_pairs?;
        Some(self.client.unwrap_or(Hop::Unknown))
    }
}

/// Reads `name=value`, and gives what follows it.
fn pair<'t>(text: &'t str, element: &mut Element) -> Option<&'t str> {
    let (name, rest) = token(text)?;
    let rest = rest.strip_prefix('=')?;
    let (value, rest) = match rest.strip_prefix('"') {
        Some(quoted) => unquoted(quoted)?,
        None => {
            let (value, rest) = token(rest)?;
            (value.to_owned(), rest)
        }
    };
    element.has_pairs = Some(());
    if name.eq_ignore_ascii_case("for") {
        // Twice in one element is two opinions.
        let hop = match element.client {
            None => hop(&value),
            Some(_) => return None,
        };
        element.client = Some(hop);
    }
    Some(rest)
}

/// The start of a text that is a token. The grammar has no colons in it, but a proxy that forgets the
/// quotes of `for=192.0.2.1:80` is understood.
fn token(text: &str) -> Option<(&str, &str)> {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~:".contains(sign);
    let end = text.find(|sign| !is_part(sign)).unwrap_or(text.len());
    text.split_at_checked(end).filter(|(token, _)| !token.is_empty())
}

/// What stands before the closing quote, without escapes, and what stands behind it.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut signs = text.char_indices();
    while let Some((place, sign)) = signs.next() {
        match sign {
            '"' => return Some((value, text.get(place + 1..)?)),
            '\\' => value.push(signs.next()?.1),
            sign => value.push(sign),
        }
    }
    None
}

fn blanks(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

/// `192.0.2.1`, `2001:db8::1`, `[2001:db8::1]`, each with a port or without.
fn hop(text: &str) -> Hop {
    let bare = || text.parse::<IpAddr>().ok();
    let in_brackets = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    let address = bare().or_else(in_brackets).or_else(with_port);
    address.map_or(Hop::Unknown, |address| Hop::At(address.to_canonical()))
}
