//! What stands after the `?`.

use tollgate_wire::check::Problem;

/// Which status tells of a denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DenialAs {
    /// That of the rule.
    Ruled,
    /// 200, whatever is decided.
    Ok,
}

/// The parameters of a check.
pub(super) fn of_check(query: Option<&str>) -> Result<DenialAs, Problem> {
    let mut denial = DenialAs::Ruled;
    for (name, value) in pairs(query) {
        match (name, value) {
            ("status", "200") => denial = DenialAs::Ok,
            ("status", _) => {
                return Err(Problem::new(400, "`?status=` can be 200 and nothing else"));
            }
            _ => return Err(unknown(name, "`status` is the only one")),
        }
    }
    Ok(denial)
}

/// The parameters of what has none.
pub(super) fn of_others(query: Option<&str>) -> Result<(), Problem> {
    match pairs(query).next() {
        None => Ok(()),
        Some((name, _)) => Err(unknown(name, "there are none here")),
    }
}

fn pairs(query: Option<&str>) -> impl Iterator<Item = (&str, &str)> {
    let parts = query.unwrap_or_default().split('&');
    parts
        .filter(|part| !part.is_empty())
        .map(|part| part.split_once('=').unwrap_or((part, "")))
}

fn unknown(name: &str, known: &str) -> Problem {
    const SHOWN_CHARS_MAX: usize = 40;
    let name: String = name.chars().take(SHOWN_CHARS_MAX).collect();
    Problem::new(400, format!("unknown parameter `{name}`: {known}"))
}
