//! Whose time decides.

use std::{sync::Arc, time::Duration};

use tollgate_core::{Clock, Now};

use crate::{
    client::PATIENCE,
    script::{self, Script},
};

/// The scripts, and what they are told of the time.
#[derive(Clone)]
pub(crate) struct Time {
    pub(crate) decide: &'static Script,
    pub(crate) lease: &'static Script,
    pub(crate) look: &'static Script,
    pub(crate) swap: &'static Script,
    pub(crate) verify: &'static Script,
    /// Nothing, but in tests.
    pub(crate) told: Option<Arc<dyn Clock>>,
}

impl Time {
    /// That of the server a script runs on.
    pub(crate) fn of_redis() -> Self {
        Self {
            decide: &script::DECIDE,
            lease: &script::LEASE,
            look: &script::LOOK,
            swap: &script::SWAP,
            verify: &script::VERIFY,
            told: None,
        }
    }

    /// How long a reply is waited for: on virtual time longer than any machine stalls.
    pub(crate) const fn patience(&self) -> Duration {
        match self.told {
            None => PATIENCE,
            Some(_) => Duration::from_secs(60),
        }
    }

    pub(crate) fn told(&self) -> Option<Now> {
        self.told.as_ref().map(|clock| clock.now())
    }
}
