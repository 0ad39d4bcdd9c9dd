//! The scripts as they are sent: constant texts, known to Redis by their digests.

use std::sync::LazyLock;

/// A script. Its text never depends on what it is asked about.
#[derive(Debug)]
pub(crate) struct Script {
    text: LazyLock<String>,
    digest: LazyLock<String>,
}

impl Script {
    pub(crate) const fn new(text: fn() -> String, digest: fn() -> String) -> Self {
        Self { text: LazyLock::new(text), digest: LazyLock::new(digest) }
    }

    /// The text, to be loaded.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What Redis calls it once it is loaded.
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }
}

/// Makes a script out of the way it learns the time, what it has in common with others, and what it does.
macro_rules! script {
    ($name:ident, $clock:literal $(, $part:literal)+) => {
        pub(crate) static $name: $crate::script::Script = $crate::script::Script::new(
            || {
                let clock = include_str!(concat!("lua/", $clock, ".lua"));
                let parts = [$(include_str!(concat!("lua/", $part, ".lua"))),+];
                format!("{clock}\n{}", parts.join("\n"))
            },
            || redis::Script::new($name.text()).get_hash().to_owned(),
        );
    };
}

#[cfg_attr(not(test), allow(unused_imports, reason = "for scripts on virtual time"))]
pub(crate) use script;

script!(PRESENCE, "clock", "presence");
script!(REGISTER, "clock", "register");
script!(DECIDE, "clock", "counters", "decide");
script!(LEASE, "clock", "counters", "lease");
script!(LOOK, "clock", "look");
script!(SWAP, "clock", "swap");
script!(VERIFY, "clock", "counters", "verify");

/// Every script of production, so that all are loaded at connect.
pub(crate) static ALL: [&Script; 7] =
    [&PRESENCE, &REGISTER, &DECIDE, &LEASE, &LOOK, &SWAP, &VERIFY];
