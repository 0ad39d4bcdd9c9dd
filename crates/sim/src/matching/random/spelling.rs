//! Other ways to write the same fact.

use std::net::{IpAddr, Ipv4Addr};

use crate::Rng;

/// An identifier with blanks around it.
pub(super) fn identifier(rng: &mut Rng, plain: &str) -> String {
    match rng.below(4) {
        0 => format!(" {plain}"),
        1 => format!("{plain}\t "),
        _ => plain.to_owned(),
    }
}

/// A method in any case.
pub(super) fn method(rng: &mut Rng, plain: &str) -> String {
    match rng.below(3) {
        0 => plain.to_ascii_lowercase(),
        1 => format!(" {plain} "),
        _ => plain.to_owned(),
    }
}

/// An address of IPv4 as one of IPv6, and one of IPv6 with all its zeros, or in capitals.
pub(super) fn address(rng: &mut Rng, plain: &str) -> String {
    match plain.parse() {
        Ok(IpAddr::V4(address)) if rng.one_in(3) => mapped(rng, address),
        Ok(IpAddr::V6(address)) if rng.one_in(3) => {
            let groups: Vec<String> =
                address.segments().iter().map(|group| format!("{group:04x}")).collect();
            groups.join(":")
        }
        _ => plain.to_ascii_uppercase(),
    }
}

fn mapped(rng: &mut Rng, address: Ipv4Addr) -> String {
    let [a, b, c, d] = address.octets();
    match rng.below(2) {
        0 => format!("::ffff:{address}"),
        _ => format!("0:0:0:0:0:FFFF:{a:02x}{b:02x}:{c:02x}{d:02x}"),
    }
}

/// A path with detours that lead to the same place.
pub(super) fn path(rng: &mut Rng, plain: &str) -> String {
    if matches!(plain, "" | "/") || rng.one_in(2) {
        return plain.to_owned();
    }
    let mut spelled = String::new();
    for segment in plain.split('/').skip(1) {
        // Two slashes at the start are refused: some servers read the name of a host behind them.
        let after_names: &[&str] = if spelled.is_empty() { &[] } else { &["//"] };
        let detours = [&["/", "/", "/", "/./", "/x/../", "/%2e/"], after_names].concat();
        spelled.push_str(rng.pick(&detours));
        for letter in segment.chars() {
            match rng.below(12) {
                0 => spelled.push_str(&format!("%{:02x}", u32::from(letter))),
                1 => spelled.push_str(&format!("%{:02X}", u32::from(letter))),
                _ => spelled.push(letter),
            }
        }
        if !segment.is_empty() {
            spelled.push_str(rng.pick(&["", "", "", ";v=2", ";"]));
        }
    }
    spelled.push_str(rng.pick(&["", "", "", "/", "/.", "?page=2", "/?a=/b", "//"]));
    spelled
}
