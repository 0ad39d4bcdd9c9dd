//! Programs from PyPI, in the environment that `cargo xtask test` makes.

use std::path::{Path, PathBuf};

use crate::fast::refuse_when_fast;

/// The program of this name.
///
/// # Panics
///
/// If it is not installed, or if this run shall need no program from outside.
pub fn pypi(program: &str) -> PathBuf {
    refuse_when_fast(program);
    let mut programs = folders().map(|folder| folder.join(program));
    programs.find(|path| path.is_file()).unwrap_or_else(|| {
        panic!("no `{program}` in target/python: `cargo xtask test` installs what is missing")
    })
}

/// Where they may be. A copy of the repository below its `target` uses the same environment.
pub(crate) fn folders() -> impl Iterator<Item = PathBuf> {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    folders.map(|folder| folder.join("target/python/bin"))
}
