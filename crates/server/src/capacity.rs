//! How many connections there is room for, and how much memory they can take before they have asked anything.

use std::fmt;

use crate::{config::Settings, listen::InputBudget, open_files::OpenFiles, telemetry::Protocol};

/// The bounds of a server's listeners, from the settings and from how many files the process may have open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Connections of each of the three listeners for decisions.
    decisions: usize,
    /// Connections of the admin side.
    admin: usize,
    /// What the settings ask for.
    connections_max: usize,
    files: OpenFiles,
    unfinished_bytes_max: usize,
}

/// What is left for files, Redis, the rule database and connections that are being refused.
const RESERVE: u64 = 256;
/// Of few files this part is enough for that.
const RESERVE_PART: u64 = 4;
/// The part of the rest that only the admin side may use, at least.
const ADMIN_PART: u64 = 8;
/// Listeners for decisions.
const LISTENERS: u64 = 3;

impl Capacity {
    /// Of a server with these settings, once it has raised its limit of open files as far as it may.
    pub fn expected(settings: &Settings) -> Self {
        Self::new(settings, OpenFiles::most())
    }

    /// Of this process.
    pub(crate) fn current(settings: &Settings) -> Self {
        Self::new(settings, OpenFiles::current())
    }

    fn new(settings: &Settings, files: OpenFiles) -> Self {
        let connections_max = settings.timers.connections_max;
        let (decisions, admin) = match files {
            OpenFiles::Unlimited => (connections_max, connections_max),
            OpenFiles::Limited(files) => shared(files, connections_max),
        };
        Self {
            decisions,
            admin,
            connections_max,
            files,
            unfinished_bytes_max: settings.timers.unfinished_bytes_max,
        }
    }

    /// How many connections a listener holds at once.
    pub(crate) const fn of(&self, protocol: Protocol) -> usize {
        match protocol {
            Protocol::Http | Protocol::Grpc | Protocol::Resp => self.decisions,
            Protocol::Admin => self.admin,
        }
    }

    /// Whether the open files bound some listener, rather than the setting.
    pub(crate) const fn is_bound_by_files(&self) -> bool {
        self.decisions < self.connections_max || self.admin < self.connections_max
    }

    /// How many connections there may be, and why not more.
    pub(crate) fn connection_words(&self) -> String {
        let (decisions, admin) = self.connections();
        let words = format!("{decisions} for each of http, grpc and resp, {admin} for admin");
        match self.files {
            OpenFiles::Limited(files) if self.is_bound_by_files() => {
                let wanted = self.connections_max;
                format!(
                    "{words}: {files} open files leave no room for connections_max, {wanted} each"
                )
            }
            _ => words,
        }
    }

    /// The most memory that requests can hold before they have arrived whole, on all listeners together.
    pub fn unfinished_bytes(&self) -> u64 {
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let connections = number(self.decisions).saturating_mul(LISTENERS);
        let connections = connections.saturating_add(number(self.admin));
        let own = connections.saturating_mul(number(InputBudget::OWN_BYTES));
        let budgets = number(self.unfinished_bytes_max).saturating_mul(LISTENERS + 1);
        own.saturating_add(budgets)
    }

    /// How many connections each listener for decisions holds, and the admin side.
    pub const fn connections(&self) -> (usize, usize) {
        (self.decisions, self.admin)
    }
}

/// Connections for each listener for decisions and for the admin side, of so many files.
fn shared(files: u64, connections_max: usize) -> (usize, usize) {
    let rest = (files - RESERVE.min(files / RESERVE_PART)).max(1);
    let at_most = |count: u64| {
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        count.clamp(1, connections_max)
    };
    let decisions = at_most((rest - (rest / ADMIN_PART).max(1)) / LISTENERS);
    let taken = u64::try_from(decisions).unwrap_or(u64::MAX);
    let admin = rest.saturating_sub(taken.saturating_mul(LISTENERS));
    (decisions, at_most(admin))
}

/// As `tollgate serve --check` prints it.
impl fmt::Display for Capacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MIB: u64 = 1 << 20;
        let words = self.connection_words();
        let all = self.unfinished_bytes().div_ceil(MIB);
        let own = InputBudget::OWN_BYTES >> 10;
        let listener = self.unfinished_bytes_max >> 20;
        write!(
            f,
            "connections: {words}\nmemory of requests that have not arrived whole: {all} MiB at most, {own} KiB for each \
             connection and {listener} MiB for each listener"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listeners_never_take_all_files() {
        for files in [8, 64, 256, 1_024, 4_096, 20_000, 65_536, 1 << 20] {
            let (decisions, admin) = shared(files, 10_000);
            let taken = 3 * decisions + admin;
            let left = files - u64::try_from(taken).unwrap();
            assert!(left >= RESERVE.min(files / 4), "{files}: {taken}");
            assert!(decisions >= 1 && admin >= 1);
        }
    }

    #[test]
    fn many_files_give_every_listener_what_was_set() {
        assert_eq!(shared(1 << 20, 10_000), (10_000, 10_000));
        assert_eq!(shared(40_256, 10_000), (10_000, 10_000));
        assert_eq!(shared(1_024, 10_000), (224, 96));
        assert_eq!(shared(256, 10_000), (56, 24));
        assert_eq!(shared(256, 10), (10, 10));
    }
}
