//! Room for connections.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// As many files as this process may ever have open; none if there is no limit.
pub(crate) fn open_files_max() -> Option<u64> {
    getrlimit(Resource::Nofile).maximum
}

/// Lets this process open as many files as the machine allows it to: each connection is one, and what is
/// given to a process at first is often a thousand. What cannot be had is no reason not to start.
pub fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    let raised = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: limit.maximum,
            maximum: limit.maximum,
        },
    );
    if let Err(error) = raised {
        tracing::debug!(%error, "The limit on open files stays as it is.");
    }
}
