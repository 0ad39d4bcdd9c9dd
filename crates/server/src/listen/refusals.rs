//! Connections that find no place: counted each time, told once a minute.

use std::{net::IpAddr, sync::Arc};

use super::Addresses;
use crate::telemetry::{Complaints, Protocol, Recorder, Turned};

/// The connections that one listener has refused.
#[derive(Debug)]
pub(crate) struct Refusals {
    protocol: Protocol,
    recorder: Arc<Recorder>,
    full: Complaints,
    address: Complaints,
}

impl Refusals {
    pub(crate) fn new(protocol: Protocol, recorder: &Arc<Recorder>) -> Self {
        Self {
            protocol,
            recorder: Arc::clone(recorder),
            full: Complaints::once_a_minute(),
            address: Complaints::once_a_minute(),
        }
    }

    /// The listener has all the connections that it may.
    pub(super) fn full(&self, connections_max: usize, addresses: &Addresses) {
        self.recorder.turned_away(self.protocol, Turned::Full);
        if let Some(left_out) = self.full.may_tell() {
            let listener = self.protocol.name();
            let (address, connections) = addresses.busiest().unzip();
            tracing::warn!(
                listener,
                connections_max,
                left_out,
                busiest = address.map(tracing::field::display),
                busiest_connections = connections,
                "Clients are refused: all connections of a listener are taken. Raise connections_max, and the limit of open \
                 files with it (LimitNOFILE, ulimit -Hn); or look at the address that has the most."
            );
        }
    }

    /// One address has all the connections that it may.
    pub(super) fn address(&self, address: IpAddr, address_max: usize) {
        self.recorder.turned_away(self.protocol, Turned::Address);
        if let Some(left_out) = self.address.may_tell() {
            let listener = self.protocol.name();
            tracing::warn!(
                listener,
                %address,
                address_max,
                left_out,
                "A client is refused: its address has a quarter of the listener's connections, and may have no more. If it is a \
                 service of yours, name it in trusted_callers; if it is a gateway, in trusted_proxies."
            );
        }
    }
}
