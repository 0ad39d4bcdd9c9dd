//! How much memory requests that are not finished may take.

use std::{net::IpAddr, sync::Arc};

use crate::telemetry::{Complaints, Protocol, Recorder, Turned};

/// What all connections of one listener may hold together of requests that have not arrived whole, beyond what each
/// connection has of its own.
#[derive(Debug)]
pub(crate) struct InputBudget {
    protocol: Protocol,
    bytes_max: u64,
    /// Counts what is held.
    recorder: Arc<Recorder>,
    complaints: Complaints,
}

/// What one connection holds of a budget. It is given back when this is dropped.
#[derive(Debug)]
pub(crate) struct InputClaim {
    budget: Arc<InputBudget>,
    client: IpAddr,
    claimed: u64,
}

/// There is no room for more of a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NoRoom;

impl InputBudget {
    /// Every connection may hold this much without asking: a request of the usual size is read however little room is
    /// left.
    pub(crate) const OWN_BYTES: usize = 16 * 1024;

    pub(crate) fn new(protocol: Protocol, bytes_max: usize, recorder: &Arc<Recorder>) -> Arc<Self> {
        Arc::new(Self {
            protocol,
            bytes_max: u64::try_from(bytes_max).unwrap_or(u64::MAX),
            recorder: Arc::clone(recorder),
            complaints: Complaints::once_a_minute(),
        })
    }

    /// Nothing yet, for a connection of this client.
    pub(crate) fn claim(self: &Arc<Self>, client: IpAddr) -> InputClaim {
        InputClaim {
            budget: Arc::clone(self),
            client,
            claimed: 0,
        }
    }

    fn refuse(&self, client: IpAddr) {
        self.recorder.turned_away(self.protocol, Turned::Unfinished);
        if let Some(left_out) = self.complaints.may_tell() {
            let (listener, bytes_max) = (self.protocol.name(), self.bytes_max);
            tracing::warn!(
                listener,
                %client,
                bytes_max,
                left_out,
                "A request was refused: requests that have not arrived whole hold all the memory that they may. Find the \
                 clients that begin requests and do not finish them, or raise unfinished_bytes_max."
            );
        }
    }
}

impl InputClaim {
    /// Holds this many bytes from now on, or as many as before if there is no room.
    pub(crate) fn resize(&mut self, bytes: usize) -> Result<(), NoRoom> {
        let beyond = bytes.saturating_sub(InputBudget::OWN_BYTES);
        let beyond = u64::try_from(beyond).unwrap_or(u64::MAX);
        if beyond == self.claimed {
            return Ok(());
        }
        let budget = &self.budget;
        let held = budget.recorder.unfinished(budget.protocol);
        if !held.change(self.claimed, beyond, budget.bytes_max) {
            budget.refuse(self.client);
            return Err(NoRoom);
        }
        self.claimed = beyond;
        Ok(())
    }

    /// Whether memory that waits for the next request should be given back instead: so idle connections never hold more
    /// than half of the budget.
    pub(crate) fn should_release(&self) -> bool {
        let budget = &self.budget;
        let held = budget.recorder.unfinished(budget.protocol).held();
        self.claimed > 0 && held > budget.bytes_max / 2
    }
}

impl Drop for InputClaim {
    fn drop(&mut self) {
        let held = self.budget.recorder.unfinished(self.budget.protocol);
        // Less always has room.
        held.change(self.claimed, 0, u64::MAX);
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const OWN: usize = InputBudget::OWN_BYTES;

    #[test]
    fn claims_together_never_hold_more_than_the_budget() {
        let recorder = Arc::new(Recorder::default());
        let budget = InputBudget::new(Protocol::Http, 1_000, &recorder);
        let held = || recorder.unfinished(Protocol::Http).held();
        let claim = || budget.claim(Ipv4Addr::LOCALHOST.into());
        let (mut one, mut two) = (claim(), claim());
        assert_eq!(one.resize(OWN + 700), Ok(()));
        assert_eq!(two.resize(OWN), Ok(()), "what is its own is always there");
        assert_eq!(two.resize(OWN + 301), Err(NoRoom));
        assert_eq!(held(), 700);
        assert_eq!(two.resize(OWN + 300), Ok(()));
        assert_eq!(held(), 1_000);
        assert!(one.should_release());
        assert_eq!(one.resize(OWN + 100), Ok(()));
        assert!(!one.should_release());
        drop((one, two));
        assert_eq!(held(), 0);
    }
}
