//! `tollgate rules schema`

use tollgate_rules::document;

use crate::outcome::Outcome;

pub(super) fn run() -> Outcome {
    println!("{}", "{}"); // schema pending
    Outcome::Fine
}
