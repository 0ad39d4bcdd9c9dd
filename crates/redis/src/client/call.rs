//! One script that is asked to run.

use crate::slot::Slot;

/// A script with what it is given. All keys are in one slot.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) script: &'static super::super::script::Script,
    pub(crate) slot: Slot,
    pub(crate) keys: Vec<Vec<u8>>,
    pub(crate) args: Vec<Vec<u8>>,
}

/// Why a call has no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The script certainly did not run.
    NotRun(Cause),
    /// It may have run: the connection ended, or the reply did not come.
    InDoubt(Cause),
}

/// What was in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Cause {
    /// No connection.
    Unreachable,
    /// No reply for too long.
    Silent,
    /// LOADING, MASTERDOWN, CLUSTERDOWN: it is not ready.
    NotReady,
    /// BUSY: somebody's script does not end.
    Busy,
    /// OOM: it is full.
    Full,
    /// NOAUTH, WRONGPASS, NOPERM.
    Forbidden,
    /// MOVED, ASK, TRYAGAIN, READONLY, again and again.
    Moving,
    /// Anything else.
    Other,
}
