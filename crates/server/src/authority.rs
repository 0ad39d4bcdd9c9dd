//! Who may do what: the one place where it is decided.

use std::{fmt, net::SocketAddr, sync::Arc};

/// Says what a caller may do.
#[derive(Clone, Debug)]
pub(crate) struct Authority {
    token: Option<Token>,
}

/// What a caller presents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller<'a> {
    /// The listener that it came through can be reached from this machine only.
    pub(crate) door: Door,
    /// The token that it showed, without `Bearer`.
    pub(crate) token: Option<&'a str>,
    /// What its certificate calls it, if it showed one that is signed by whom the listener believes.
    pub(crate) name: Option<&'a str>,
}

impl Caller<'_> {
    /// Whether it is one of us: on this machine, or with a certificate from whom we believe. Refund and
    /// reset come from the service itself, so its neighbours need no token for that; without a token
    /// they need none for anything.
    const fn is_near(&self) -> bool {
        matches!(self.door, Door::Loopback) || self.name.is_some()
    }
}

/// Where a listener can be reached from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Door {
    /// This machine only.
    Loopback,
    /// Anywhere.
    Open,
}

impl Door {
    /// Of a listener at this address.
    pub(crate) const fn of(address: SocketAddr) -> Self {
        if address.ip().is_loopback() {
            Self::Loopback
        } else {
            Self::Open
        }
    }
}

/// What somebody wants to do. Roles will tell these apart; so far whoever is let in may do all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Permission {
    /// Ask for a decision, or peek.
    Check,
    /// Give cost back, or make a counter fresh.
    ChangeCounters,
    /// Read rules, overrides, counters, metrics.
    Read,
    /// Make or end an exception.
    ChangeOverrides,
    /// Write rules and tiers.
    ChangeRules,
}

/// Why a caller is turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    /// Nothing was shown where a token is asked for.
    #[error("a token is needed here: send `Authorization: Bearer TOKEN` (RESP: AUTH TOKEN)")]
    Missing,
    /// Something else was shown.
    #[error("the token is not the one that this server was started with")]
    Wrong,
    /// None would do, since the server has none.
    #[error(
        "this is refused on a listener that others can reach: start the server with a token, or ask \
         clients for certificates"
    )]
    NotConfigured,
}

impl Authority {
    /// With the token that opens everything, if there is one.
    pub(crate) const fn new(token: Option<Token>) -> Self {
        Self { token }
    }

    /// Whether the caller is somebody we know: on this machine, with a certificate, or with a token of ours. Such a one may
    /// say whom it asks for.
    pub(crate) fn knows(&self, caller: Caller<'_>) -> bool {
        let is_ours = |shown: &str| self.token.as_ref().is_some_and(|token| token.is(shown));
        caller.is_near() || caller.token.is_some_and(is_ours)
    }

    /// Whether the caller may do it.
    pub(crate) fn allows(&self, caller: Caller<'_>, wanted: Permission) -> Result<(), Refused> {
        if wanted == Permission::Check {
            return Ok(());
        }
        match (&self.token, caller.token) {
            (Some(token), Some(shown)) if token.is(shown) => Ok(()),
            (Some(_), Some(_)) => Err(Refused::Wrong),
            (None, _) if caller.is_near() => Ok(()),
            (Some(_), None) if caller.is_near() && wanted == Permission::ChangeCounters => Ok(()),
            (Some(_), None) => Err(Refused::Missing),
            (None, _) => Err(Refused::NotConfigured),
        }
    }
}

/// A secret that is shown by whoever may do more than ask.
#[derive(Clone)]
pub struct Token(Arc<str>);

impl Token {
    /// The fewest characters: what is shorter is guessed.
    pub const CHARS_MIN: usize = 16;

    /// The token of this text, if it is long enough and can stand in a header.
    pub fn new(text: &str) -> Option<Self> {
        let is_sound =
            text.len() >= Self::CHARS_MIN && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_sound.then(|| Self(text.into()))
    }

    /// Takes as long for a near miss as for a wild guess.
    pub(crate) fn is(&self, shown: &str) -> bool {
        let (ours, theirs) = (self.0.as_bytes(), shown.as_bytes());
        let differing = ours
            .iter()
            .zip(theirs)
            .fold(0, |differing, (a, b)| differing | (a ^ b));
        ours.len() == theirs.len() && std::hint::black_box(differing) == 0
    }
}

/// Never shown.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "0123456789abcdef";

    fn allows(token: Option<&str>, door: Door, shown: Option<&str>, wanted: Permission) -> bool {
        let authority = Authority::new(token.and_then(Token::new));
        let caller = Caller {
            door,
            token: shown,
            name: None,
        };
        authority.allows(caller, wanted).is_ok()
    }

    #[test]
    fn whoever_asks_needs_nothing() {
        for door in [Door::Loopback, Door::Open] {
            assert!(allows(Some(SECRET), door, None, Permission::Check));
            assert!(allows(None, door, None, Permission::Check));
        }
    }

    #[test]
    fn this_machine_is_trusted_until_there_is_a_token() {
        for wanted in [
            Permission::Read,
            Permission::ChangeRules,
            Permission::ChangeCounters,
        ] {
            assert!(allows(None, Door::Loopback, None, wanted));
            assert!(!allows(None, Door::Open, None, wanted));
            assert!(!allows(Some(SECRET), Door::Open, None, wanted));
            assert!(allows(Some(SECRET), Door::Open, Some(SECRET), wanted));
        }
        assert!(!allows(
            Some(SECRET),
            Door::Loopback,
            None,
            Permission::ChangeRules
        ));
        assert!(allows(
            Some(SECRET),
            Door::Loopback,
            None,
            Permission::ChangeCounters
        ));
    }

    // Proves: S7
    #[test]
    fn whoever_showed_a_certificate_is_trusted_as_this_machine_is() {
        let wanted = [
            Permission::Check,
            Permission::Read,
            Permission::ChangeRules,
            Permission::ChangeOverrides,
            Permission::ChangeCounters,
        ];
        let all = |token: Option<&str>, shown, door, name| {
            let authority = Authority::new(token.and_then(Token::new));
            let token = shown;
            let caller = Caller { door, token, name };
            wanted.map(|wanted| authority.allows(caller, wanted))
        };
        for token in [None, Some(SECRET)] {
            for shown in [None, Some(SECRET), Some("0123456789abcdeF")] {
                let near = all(token, shown, Door::Loopback, None);
                let named = all(token, shown, Door::Open, Some("billing.example"));
                assert_eq!(named, near);
            }
        }
    }

    #[test]
    fn only_the_whole_token_will_do() {
        for shown in [
            "",
            "0123456789abcde",
            "0123456789abcdef0",
            "0123456789abcdeF",
        ] {
            assert!(!allows(
                Some(SECRET),
                Door::Loopback,
                Some(shown),
                Permission::Read
            ));
        }
    }

    #[test]
    fn a_token_is_long_and_plain_and_never_shown() {
        assert!(Token::new("short").is_none());
        assert!(Token::new("0123456789 abcdef").is_none());
        let token = Token::new(SECRET).unwrap();
        assert!(!format!("{token:?}").contains("0123"));
    }
}
