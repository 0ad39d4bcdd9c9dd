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
        Self {
            text: LazyLock::new(text),
            digest: LazyLock::new(digest),
        }
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

/// Makes a script out of the way it learns the time, and what it does.
macro_rules! script {
    ($name:ident, $label:literal, $clock:literal) => {
        pub(crate) static $name: $crate::script::Script = $crate::script::Script::new(
            || {
                let clock = include_str!(concat!("lua/", $clock, ".lua"));
                let body = include_str!(concat!("lua/", $label, ".lua"));
                format!("{clock}\n{body}")
            },
            || redis::Script::new($name.text()).get_hash().to_owned(),
        );
    };
}

#[cfg_attr(
    not(test),
    allow(unused_imports, reason = "for scripts on virtual time")
)]
pub(crate) use script;

script!(PRESENCE, "presence", "clock");
script!(DECIDE, "decide", "clock");
script!(LOOK, "look", "clock");
script!(SWAP, "swap", "clock");

/// Every script of production, so that all are loaded at connect.
pub(crate) static ALL: [&Script; 4] = [&PRESENCE, &DECIDE, &LOOK, &SWAP];
