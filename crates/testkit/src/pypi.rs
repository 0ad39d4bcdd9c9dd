//! Programs from PyPI, in the environment that `cargo xtask test` makes.

use std::path::{Path, PathBuf};

/// The program of this name.
///
/// # Panics
///
/// If it is not installed.
pub fn pypi(program: &str) -> PathBuf {
    // A copy of the repository below its `target` uses the same environment.
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut programs = folders.map(|folder| folder.join("target/python/bin").join(program));
    programs.find(|path| path.is_file()).unwrap_or_else(|| {
        panic!("no `{program}` in target/python: `cargo xtask test` installs what is missing")
    })
}
