//! One script that is asked to run.

use redis::Cmd;

use crate::{script::Script, slot::Slot};

/// A script with what it is given. All keys are in one slot.
///
/// A script must read every key that it was given before it writes to any: then whoever finds a foreign
/// type in a key has changed nothing.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) script: &'static Script,
    pub(crate) slot: Slot,
    pub(crate) keys: Vec<Vec<u8>>,
    pub(crate) args: Vec<Vec<u8>>,
}

impl Call {
    /// The command that runs it, if Redis knows the script.
    pub(super) fn command(&self) -> Cmd {
        let mut command = redis::cmd("EVALSHA");
        command.arg(self.script.digest()).arg(self.keys.len());
        command.arg(&self.keys).arg(&self.args);
        command
    }
}

/// Why a call has no reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The script certainly did not run, or has changed nothing.
    NotRun(Cause),
    /// It may have run: the connection ended, or the reply did not come.
    InDoubt(Cause),
}

impl Failure {
    /// What was in the way.
    pub(crate) const fn cause(self) -> Cause {
        match self {
            Self::NotRun(cause) | Self::InDoubt(cause) => cause,
        }
    }
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
    /// OOM, or it cannot save (MISCONF, NOREPLICAS): it takes nothing more.
    Full,
    /// NOAUTH, WRONGPASS, NOPERM.
    Forbidden,
    /// MOVED, ASK, TRYAGAIN, READONLY, again and again.
    Moving,
    /// WRONGTYPE: somebody else has put something into a key of ours.
    Foreign,
    /// Too many calls are under way at this shard.
    Crowded,
    /// Anything else.
    Other,
}

impl Cause {
    /// Every one, in order.
    pub(crate) const ALL: [Self; 10] = [
        Self::Unreachable,
        Self::Silent,
        Self::NotReady,
        Self::Busy,
        Self::Full,
        Self::Forbidden,
        Self::Moving,
        Self::Foreign,
        Self::Crowded,
        Self::Other,
    ];

    /// What it is called in metrics.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::Silent => "silent",
            Self::NotReady => "not_ready",
            Self::Busy => "busy",
            Self::Full => "full",
            Self::Forbidden => "forbidden",
            Self::Moving => "moving",
            Self::Foreign => "foreign",
            Self::Crowded => "crowded",
            Self::Other => "other",
        }
    }

    /// What happened, for people.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Unreachable => "there is no connection to Redis",
            Self::Silent => "Redis does not answer",
            Self::NotReady => "Redis is not ready yet",
            Self::Busy => "Redis is busy with a script",
            Self::Full => "Redis has no memory left",
            Self::Forbidden => "Redis refuses the user or the password",
            Self::Moving => "the counter is moving to another Redis",
            Self::Foreign => "the key in Redis holds what is not Tollgate's",
            Self::Crowded => "too many requests wait for Redis",
            Self::Other => "Redis answered with an error",
        }
    }

    /// Whether it speaks against the shard. A strange key, or a mistake in a script, does not: the shard
    /// has answered.
    pub(super) const fn is_trouble(self) -> bool {
        !matches!(self, Self::Foreign | Self::Other)
    }
}
