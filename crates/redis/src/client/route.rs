//! Where a call goes, and where it goes next if it was sent elsewhere. Only what certainly did not run is
//! sent again.

use std::{sync::Arc, time::Duration};

use redis::Value;
use tokio::time::sleep;

use super::{
    address::Address,
    call::{Call, Cause, Failure},
    client::Client,
    reply::Refusal,
    run::Way,
    shard::Shard,
};
use crate::Layout;

/// How often a call is put to somebody, in all.
const TRIES_MAX: u32 = 5;
/// While keys move from one server to another, both answer in parts.
const MOVING_PAUSE: Duration = Duration::from_millis(2);
/// While a replica takes over, and the map is read again.
const TAKEOVER_PAUSE: Duration = Duration::from_millis(50);

/// Whether a call may come to a server that took over before everybody has told it what it may have lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Right {
    Ordinary,
    Early,
}

impl Client {
    /// Runs a script on whoever serves its slot. If the future is dropped, the script may run all the same.
    pub(crate) async fn call(&self, call: &Call) -> Result<Value, Failure> {
        self.call_by(Right::Ordinary, call).await
    }

    /// The same for what must not wait until a server that took over is told everything: the telling itself.
    pub(crate) async fn call_early(&self, call: &Call) -> Result<Value, Failure> {
        self.call_by(Right::Early, call).await
    }

    async fn call_by(&self, right: Right, call: &Call) -> Result<Value, Failure> {
        let outcome = self.follow(call, right).await;
        if let Err(failure) = &outcome {
            self.count(failure.cause());
        }
        outcome
    }

    async fn follow(&self, call: &Call, right: Right) -> Result<Value, Failure> {
        let Some(mut shard) = self.shard(call.slot) else {
            return Err(Failure::NotRun(self.absence()));
        };
        let mut way = Way::Owner;
        for _ in 0..TRIES_MAX {
            shard.make_certain().await?;
            let is_kept_out = shard.is_quarantined() || !self.is_asserted(call.slot);
            if right == Right::Ordinary && is_kept_out {
                return Err(Failure::NotRun(Cause::Moving));
            }
            let refusal = match shard.run(call, way).await {
                Ok(value) => return Ok(value),
                Err(refusal) => refusal,
            };
            (shard, way) = self.next(call, shard, refusal).await?;
        }
        Err(Failure::NotRun(Cause::Moving))
    }

    /// To whom a call goes that did not run.
    async fn next(
        &self,
        call: &Call,
        from: Arc<Shard>,
        refusal: Refusal,
    ) -> Result<(Arc<Shard>, Way), Failure> {
        let moving = Failure::NotRun(Cause::Moving);
        match refusal {
            Refusal::Moved(address) => {
                let shard = self.at(&address, &from).ok_or(moving)?;
                self.moved(call.slot, &shard);
                Ok((shard, Way::Owner))
            }
            Refusal::Ask(address) => {
                let shard = self.at(&address, &from).ok_or(moving)?;
                Ok((shard, Way::Asking))
            }
            Refusal::TryAgain => {
                sleep(MOVING_PAUSE).await;
                // Whoever owns the slot knows which of the keys are still there.
                let shard = self.shard(call.slot).ok_or(moving)?;
                Ok((shard, Way::Owner))
            }
            Refusal::ReadOnly => {
                // Should it be a primary again, it is another one.
                from.doubt();
                self.means.refresh.notify_one();
                if self.layout() != Layout::Cluster {
                    return Err(moving);
                }
                sleep(TAKEOVER_PAUSE).await;
                let shard = self.shard(call.slot).ok_or(moving)?;
                Ok((shard, Way::Owner))
            }
            // It was loaded, and somebody made the server forget it at once.
            Refusal::NoScript => Err(Failure::NotRun(Cause::Other)),
            Refusal::Failed(failure) => {
                if matches!(failure.cause(), Cause::NotReady | Cause::Unreachable | Cause::Silent) {
                    self.means.refresh.notify_one();
                }
                Err(failure)
            }
        }
    }

    fn at(&self, address: &str, teller: &Shard) -> Option<Arc<Shard>> {
        let address = Address::parse(address, &teller.address);
        if address.is_none() {
            self.means.refresh.notify_one();
        }
        self.known_or_new(&address?)
    }
}
