//! Room for connections.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// How many files a process may have open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenFiles {
    Limited(u64),
    Unlimited,
}

impl OpenFiles {
    /// Now.
    pub(crate) fn current() -> Self {
        Self::of(getrlimit(Resource::Nofile).current)
    }

    /// At most, after [`raise_open_files`].
    pub(crate) fn most() -> Self {
        Self::of(getrlimit(Resource::Nofile).maximum)
    }

    fn of(limit: Option<u64>) -> Self {
        limit.map_or(Self::Unlimited, Self::Limited)
    }
}

/// Lets this process open as many files as the machine allows it to: each connection is one, and what is
/// given to a process at first is often a thousand. What cannot be had is no reason not to start.
pub fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    let raised =
        setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    if let Err(error) = raised {
        tracing::debug!(%error, "The limit on open files stays as it is.");
    }
}
