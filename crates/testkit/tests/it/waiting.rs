//! The contract also runs on stores that answer later, as those across a network do.

use std::{
    future::poll_fn,
    task::{Context, Poll},
};

use tollgate_core::{Action, Charge, ImmediateStore, Store, StoreError, Verdict};
use tollgate_testkit::{ReferenceStore, store_contract};

/// Has no answer when first asked.
struct Later<S>(S);

impl<S: ImmediateStore> Store for Later<S> {
    async fn charge(&self, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        wait_once().await;
        Ok(self.0.charge_now(charges))
    }

    async fn inspect(&self, action: Action, charges: &[Charge<'_>]) -> Result<Verdict, StoreError> {
        wait_once().await;
        Ok(self.0.inspect_now(action, charges))
    }
}

async fn wait_once() {
    let mut has_waited = false;
    poll_fn(|context: &mut Context<'_>| {
        if has_waited {
            return Poll::Ready(());
        }
        has_waited = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

store_contract!(async waiting, |clock: ManualClock| Later(ReferenceStore::new(clock)));
