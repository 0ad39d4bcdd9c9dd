//! `tollgate rules schema`

use tollgate_rules::document;

use crate::{outcome::Outcome, say};

pub(super) fn run() -> anyhow::Result<Outcome> {
    say::print(&format!("{:#}\n", document::schema()))?;
    Ok(Outcome::Fine)
}
