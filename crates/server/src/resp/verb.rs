//! What a command asks for.

/// Every command there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Verb {
    /// `CL.THROTTLE`.
    Throttle,
    /// `TG.CHECK`.
    Check,
    /// `TG.DECIDE`.
    Decide,
    /// `TG.CALLER`.
    Caller,
    /// `TG.PEEK`.
    Peek,
    /// `TG.REFUND`.
    Refund,
    /// `TG.RESET`.
    ResetCounters,
    /// `PING`.
    Ping,
    /// `ECHO`.
    Echo,
    /// `HELLO`.
    Hello,
    /// `AUTH`.
    Auth,
    /// `QUIT`.
    Quit,
    /// `RESET`.
    Reset,
    /// `SELECT`.
    Select,
    /// `CLIENT`.
    Client,
    /// `COMMAND`.
    Command,
    /// `INFO`.
    Info,
    /// `CONFIG`.
    Config,
}

impl Verb {
    /// Every command, those asked most often first.
    pub(super) const ALL: [Self; 18] = [
        Self::Throttle,
        Self::Check,
        Self::Decide,
        Self::Caller,
        Self::Peek,
        Self::Refund,
        Self::ResetCounters,
        Self::Ping,
        Self::Echo,
        Self::Hello,
        Self::Auth,
        Self::Quit,
        Self::Reset,
        Self::Select,
        Self::Client,
        Self::Command,
        Self::Info,
        Self::Config,
    ];

    /// The command of this name, in letters of any case.
    #[inline]
    pub(super) fn of(name: &[u8]) -> Option<Self> {
        // The two that are asked thousands of times in a row.
        if name.eq_ignore_ascii_case(b"TG.CHECK") {
            return Some(Self::Check);
        }
        if name.eq_ignore_ascii_case(b"CL.THROTTLE") {
            return Some(Self::Throttle);
        }
        let is_it = |verb: &Self| name.eq_ignore_ascii_case(verb.name().as_bytes());
        Self::ALL.into_iter().find(is_it)
    }

    /// Its name, as Redis lists names.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Throttle => "cl.throttle",
            Self::Check => "tg.check",
            Self::Decide => "tg.decide",
            Self::Caller => "tg.caller",
            Self::Peek => "tg.peek",
            Self::Refund => "tg.refund",
            Self::ResetCounters => "tg.reset",
            Self::Ping => "ping",
            Self::Echo => "echo",
            Self::Hello => "hello",
            Self::Auth => "auth",
            Self::Quit => "quit",
            Self::Reset => "reset",
            Self::Select => "select",
            Self::Client => "client",
            Self::Command => "command",
            Self::Info => "info",
            Self::Config => "config",
        }
    }

    /// How many words it takes, its name among them; below zero: so many or more.
    pub(super) const fn arity(self) -> i64 {
        match self {
            Self::Ping
            | Self::Hello
            | Self::Quit
            | Self::Command
            | Self::Info
            // It tells its usage itself, as redis-cell does.
            | Self::Throttle => -1,
            Self::Auth | Self::Client | Self::Config => -2,
            Self::Check | Self::Decide | Self::Peek | Self::Refund | Self::ResetCounters => -3,
            Self::Reset => 1,
            Self::Echo | Self::Select | Self::Caller => 2,
        }
    }

    /// Whether it charges a request by the rules.
    pub(super) const fn is_check(self) -> bool {
        matches!(self, Self::Check | Self::Decide)
    }

    /// Whether it takes so many words after its name.
    pub(super) fn takes(self, args: usize) -> bool {
        let words = i64::try_from(args).unwrap_or(i64::MAX).saturating_add(1);
        match self.arity() {
            exact @ 0.. => words == exact,
            least => words >= -least,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_found_by_its_name_in_any_case() {
        for verb in Verb::ALL {
            assert_eq!(Verb::of(verb.name().as_bytes()), Some(verb));
            assert_eq!(Verb::of(verb.name().to_uppercase().as_bytes()), Some(verb));
        }
        assert_eq!(Verb::of(b"Tg.ChEcK"), Some(Verb::Check));
        assert_eq!(Verb::of(b"get"), None);
        assert_eq!(Verb::of(b""), None);
    }
}
