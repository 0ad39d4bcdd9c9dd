//! Limits of one key or one user, as they are typed.

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::when;

/// Limits of its own
#[derive(Debug, clap::Args)]
pub(super) struct Limits {
    /// A limit, such as 10/s; may be given several times, one for each period
    #[arg(long = "limit", value_name = "LIMIT")]
    limits: Vec<String>,
    /// How many at once the shortest of them lets pass
    #[arg(long, value_name = "COUNT", requires = "limits")]
    burst: Option<u64>,
}

impl Limits {
    /// The limits, if there are any.
    pub(super) fn limits(&self) -> Option<Value> {
        (!self.limits.is_empty()).then(|| json!(self.limits))
    }

    /// The burst, if there is one.
    pub(super) fn burst(&self) -> Option<Value> {
        self.burst.map(|burst| json!(burst))
    }
}

/// When it ends
#[derive(Debug, clap::Args)]
pub(super) struct End {
    /// When it ends: 2027-01-01T00:00:00Z, or a day (2027-01-01, friday), which lasts to its end in UTC
    #[arg(long, value_name = "MOMENT", conflicts_with = "ttl")]
    until: Option<String>,
    /// How long it lasts, such as 12h or 30day
    #[arg(long, visible_alias = "for", value_name = "SPAN")]
    ttl: Option<String>,
}

impl End {
    /// The moment, if there is one.
    pub(super) fn until(&self) -> anyhow::Result<Option<Value>> {
        let until = self.until.as_deref().map(when::moment).transpose();
        let until = until.context("--until")?;
        Ok(until.map(|until| json!(when::shown(until))))
    }

    /// The span, if there is one.
    pub(super) fn ttl(&self) -> Option<Value> {
        self.ttl.as_ref().map(|ttl| json!(ttl))
    }
}
