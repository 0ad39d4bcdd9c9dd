//! `tollgate rules schema`

use crate::{outcome::Outcome, say};

pub(super) fn run() -> anyhow::Result<Outcome> {
    say::print("{}\n")?; // schema pending
    Ok(Outcome::Fine)
}
