//! Room for connections.

use super::Diagnosis;
use crate::{config::Settings, open_files::open_files_max};

const ABOUT: &str = "files";

/// What a server opens besides connections.
const OTHERS: u64 = 256;

pub(super) fn look(settings: &Settings) -> Diagnosis {
    let listener = u64::try_from(settings.timers.connections_max).unwrap_or(u64::MAX);
    // All listeners may have as many.
    let wanted = listener.saturating_mul(4).saturating_add(OTHERS);
    let Some(most) = open_files_max() else {
        let text = "as many files may be open as there is room for";
        return Diagnosis::fine(ABOUT, text);
    };
    if most >= wanted {
        return Diagnosis::fine(ABOUT, format!("{most} files may be open"));
    }
    Diagnosis::warning(
        ABOUT,
        format!(
            "{most} files may be open, and four listeners with {listener} connections each need {wanted}"
        ),
        "raise the hard limit on open files (ulimit -Hn, LimitNOFILE), or lower --connections-max",
    )
}
