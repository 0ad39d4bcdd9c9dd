//! What is printed: words for people, or JSON for programs.

use serde_json::Value;

/// Who reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
}

impl Format {
    /// Prints one or the other.
    pub(crate) fn say(self, text: impl FnOnce() -> String, json: impl FnOnce() -> Value) {
        match self {
            Self::Text => {
                let text = text();
                let text = text.trim_end();
                if !text.is_empty() {
                    println!("{text}");
                }
            }
            Self::Json => println!("{:#}", json()),
        }
    }
}
