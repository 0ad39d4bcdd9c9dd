//! Room for connections.

use super::Diagnosis;
use crate::{capacity::Capacity, config::Settings};

const ABOUT: &str = "files";

pub(super) fn look(settings: &Settings) -> Diagnosis {
    let capacity = Capacity::expected(settings);
    let words = capacity.connection_words();
    if !capacity.is_bound_by_files() {
        return Diagnosis::fine(ABOUT, words);
    }
    Diagnosis::warning(
        ABOUT,
        words,
        "raise the hard limit on open files (ulimit -Hn, LimitNOFILE), or lower --connections-max",
    )
}
