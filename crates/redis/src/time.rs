//! Whose time decides.

use tollgate_core::Now;

use crate::script::{self, Script};

/// Where scripts take the time from.
#[derive(Clone, Default)]
pub(crate) enum Time {
    /// From the server they run on.
    #[default]
    Redis,
    /// From a test.
    #[cfg(feature = "virtual-time")]
    Told(std::sync::Arc<dyn tollgate_core::Clock>),
}

impl Time {
    pub(crate) const fn decide(&self) -> &'static Script {
        match self {
            Self::Redis => &script::DECIDE,
            #[cfg(feature = "virtual-time")]
            Self::Told(_) => &script::VIRTUAL_DECIDE,
        }
    }

    pub(crate) const fn look(&self) -> &'static Script {
        match self {
            Self::Redis => &script::LOOK,
            #[cfg(feature = "virtual-time")]
            Self::Told(_) => &script::VIRTUAL_LOOK,
        }
    }

    pub(crate) const fn swap(&self) -> &'static Script {
        match self {
            Self::Redis => &script::SWAP,
            #[cfg(feature = "virtual-time")]
            Self::Told(_) => &script::VIRTUAL_SWAP,
        }
    }

    /// What scripts are told of the time: nothing, but in tests.
    pub(crate) fn told(&self) -> Option<Now> {
        match self {
            Self::Redis => None,
            #[cfg(feature = "virtual-time")]
            Self::Told(clock) => Some(clock.now()),
        }
    }
}
