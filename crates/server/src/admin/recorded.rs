//! Text of a request that goes on record, where people read it on a terminal.

use axum::http::HeaderMap;
use tollgate_rules::normalise::is_control_or_bidi;

use super::problem::Problem;

const FIELDS: [&str; 2] = ["Tollgate-Author", "Tollgate-Reason"];
const PARAMETER: &str = "reason";

/// Refuses an author and a reason that would steer a terminal or turn the direction of writing.
pub(super) fn refuse_controls(
    headers: &HeaderMap,
    parameters: &[(String, String)],
) -> Result<(), Problem> {
    for name in FIELDS {
        for value in headers.get_all(name) {
            let text = String::from_utf8_lossy(value.as_bytes());
            refuse(&format!("the header {name}"), text.trim())?;
        }
    }
    for (name, value) in parameters {
        if name == PARAMETER {
            refuse("the parameter reason", value.trim())?;
        }
    }
    Ok(())
}

fn refuse(what: &str, text: &str) -> Result<(), Problem> {
    let found = text.chars().find(|&letter| is_control_or_bidi(letter));
    found.map_or(Ok(()), |letter| {
        let code = u32::from(letter);
        Err(Problem::bad(format!("{what} holds a control character (U+{code:04X}): leave it out")))
    })
}
