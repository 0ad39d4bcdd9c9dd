//! Whether this node can decide.

use serde_json::json;

/// Says how a node fares. Asked for every `/readyz`.
pub(crate) trait Health: Send + Sync {
    /// How it fares now.
    fn readiness(&self) -> Readiness;
}

/// How a node fares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Readiness {
    /// The revision that it decides by; without one it cannot decide.
    pub(crate) revision: Option<u64>,
    /// What is not as it should be, though it decides: a sentence each.
    pub(crate) degraded: Vec<String>,
}

impl<F: Fn() -> Readiness + Send + Sync> Health for F {
    fn readiness(&self) -> Readiness {
        self()
    }
}

impl Readiness {
    /// 200 as long as it can decide.
    pub(crate) const fn status(&self) -> u16 {
        if self.revision.is_some() { 200 } else { 503 }
    }

    /// The body of `/readyz`.
    pub(crate) fn body(&self) -> String {
        let status = match self.revision {
            None => "no rules are loaded",
            Some(_) if self.degraded.is_empty() => "ready",
            Some(_) => "degraded",
        };
        let body = json!({
            "status": status,
            "revision": self.revision,
            "degraded": self.degraded,
        });
        body.to_string()
    }
}
