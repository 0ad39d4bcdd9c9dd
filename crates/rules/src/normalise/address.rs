//! Addresses.

use std::net::{IpAddr, Ipv6Addr};

/// Reads an address; one of IPv4 in the clothes of IPv6 is the one of IPv4.
///
/// # Errors
///
/// [`AddressError`] if the text is not an address.
///
/// ```
/// use tollgate_rules::normalise::address;
///
/// assert_eq!(address("::ffff:192.0.2.1"), address("192.0.2.1"));
/// assert!(address("192.0.2").is_err());
/// ```
pub fn address(text: &str) -> Result<IpAddr, AddressError> {
    let address: Result<IpAddr, _> = text.trim_ascii().parse();
    address
        .map(|address| address.to_canonical())
        .map_err(|_| AddressError(text.chars().take(64).collect()))
}

/// The address an `ip` key counts by: itself, or of IPv6 the network of `ipv6_prefix` bits.
///
/// ```
/// use tollgate_rules::normalise::{address, network_of};
///
/// let (one, other) = (address("2001:db8::1").unwrap(), address("2001:db8::2:1").unwrap());
/// assert_eq!(network_of(one, 64), network_of(other, 64));
/// ```
pub fn network_of(address: IpAddr, ipv6_prefix: u8) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let host_bits = 128_u32.saturating_sub(u32::from(ipv6_prefix));
            let mask = u128::MAX.checked_shl(host_bits).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
        }
        address @ IpAddr::V4(_) => address,
    }
}

/// A text that is not an address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an address: write for example 192.0.2.1 or 2001:db8::1")]
pub struct AddressError(String);
