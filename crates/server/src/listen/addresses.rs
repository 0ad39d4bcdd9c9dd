//! How many connections one client address may have.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::Way;
use crate::{TrustedProxies, gateway::TrustedCallers};

/// The connections of one listener by client address.
#[derive(Debug)]
pub(crate) struct Addresses {
    /// Connections of one address.
    max: usize,
    callers: TrustedCallers,
    proxies: TrustedProxies,
    /// As long as the listener has connections: no more entries than those.
    open: Mutex<HashMap<IpAddr, usize>>,
}

/// A connection of an address; its place is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct AddressPlace {
    addresses: Arc<Addresses>,
    address: IpAddr,
}

/// The part of a listener's connections that one address may have.
const PART: usize = 4;

impl Addresses {
    /// For a listener with this many connections. The bound does not apply to trusted callers, nor to proxies, whose
    /// connections are those of many clients.
    pub(crate) fn new(
        connections_max: usize,
        callers: TrustedCallers,
        proxies: TrustedProxies,
    ) -> Self {
        Self { max: (connections_max / PART).max(1), callers, proxies, open: Mutex::default() }
    }

    /// How many connections one address may have.
    pub(crate) const fn max(&self) -> usize {
        self.max
    }

    /// A place for one more connection of this address, unless it has as many as it may.
    pub(super) fn admit(self: &Arc<Self>, address: IpAddr, way: Way) -> Option<AddressPlace> {
        let is_exempt = self.is_exempt(address.to_canonical(), way);
        let address = network(address);
        let mut open = self.lock();
        let count = open.entry(address).or_default();
        if *count >= self.max && !is_exempt {
            return None;
        }
        *count += 1;
        drop(open);
        Some(AddressPlace { addresses: Arc::clone(self), address })
    }

    /// The address with the most connections, and how many those are.
    pub(super) fn busiest(&self) -> Option<(IpAddr, usize)> {
        let open = self.lock();
        let busiest = open.iter().max_by_key(|(_, count)| **count);
        busiest.map(|(address, count)| (*address, *count))
    }

    /// What a proxy says of its client's address does not make that client one on this machine.
    fn is_exempt(&self, address: IpAddr, way: Way) -> bool {
        (way == Way::Direct && address.is_loopback())
            || self.callers.has(address)
            || self.proxies.has(address)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AddressPlace {
    fn drop(&mut self) {
        let mut open = self.addresses.lock();
        if let Some(count) = open.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.address);
            }
        }
    }
}

/// What is counted together: an address of IPv4, or the /64 that one customer of a provider gets of IPv6.
fn network(address: IpAddr) -> IpAddr {
    const HOST_BITS: u32 = 64;
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => {
            let network = address.to_bits() >> HOST_BITS << HOST_BITS;
            Ipv6Addr::from_bits(network).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(callers: &str, proxies: &str) -> Arc<Addresses> {
        let (callers, proxies) = (callers.parse().unwrap(), proxies.parse().unwrap());
        Arc::new(Addresses::new(9, callers, proxies))
    }

    /// How many of five connections of each of these have a place.
    fn admitted(addresses: &Arc<Addresses>, way: Way, texts: &[&str]) -> usize {
        let parsed = texts.iter().map(|text| text.parse().unwrap());
        let five = parsed.flat_map(|address: IpAddr| [address; 5]);
        let places: Vec<_> = five.filter_map(|address| addresses.admit(address, way)).collect();
        places.len()
    }

    #[test]
    fn an_address_has_a_quarter_and_gives_it_back() {
        let addresses = addresses("none", "none");
        assert_eq!(addresses.max(), 2);
        for _ in 0..3 {
            assert_eq!(admitted(&addresses, Way::Direct, &["192.0.2.1"]), 2);
        }
        assert_eq!(addresses.busiest(), None, "nothing is kept of what is gone");
    }

    #[test]
    fn a_network_of_ipv6_and_a_mapped_address_are_one() {
        let addresses = addresses("none", "none");
        let one = ["2001:db8::1", "2001:db8::ffff:1"];
        assert_eq!(admitted(&addresses, Way::Direct, &one), 2);
        let mapped = ["192.0.2.1", "::ffff:192.0.2.1"];
        assert_eq!(admitted(&addresses, Way::Direct, &mapped), 2);
        let two = ["2001:db8::1", "2001:db8:0:1::1"];
        assert_eq!(admitted(&addresses, Way::Direct, &two), 4);
    }

    #[test]
    fn this_machine_trusted_callers_and_proxies_are_exempt() {
        let addresses = addresses("10.0.0.0/8", "192.0.2.0/24");
        let exempt = ["127.0.0.1", "::1", "10.1.2.3", "192.0.2.1"];
        assert_eq!(admitted(&addresses, Way::Direct, &exempt), 20);
        // Only a connection shows that a client is on this machine; a header of a proxy does not.
        assert_eq!(admitted(&addresses, Way::Proxied, &["127.0.0.1"]), 2);
    }
}
