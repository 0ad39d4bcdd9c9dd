//! The one place that finds the programs from outside the project that tests start.

use std::{
    env,
    path::{Path, PathBuf},
};

use crate::{fast::refuse_when_fast, pypi};

/// Debian keeps servers here, which is not on everybody's path.
const DEBIAN: &str = "/usr/sbin";

/// The path of a program from outside the project, by its name.
///
/// # Panics
///
/// If it is not installed, or if this run shall need no such program.
pub fn program(name: &str) -> PathBuf {
    refuse_when_fast(name);
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain([PathBuf::from(DEBIAN)]);
    let found = folders
        .chain(pypi::folders())
        .map(|folder| folder.join(name))
        .find(|path| Path::is_file(path));
    found.unwrap_or_else(|| {
        panic!(
            "`{name}` is neither on the PATH nor in {DEBIAN}: `cargo xtask test` installs what is \
             missing"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::program;
    use crate::{fast::FAST, one_test};

    #[test]
    #[ignore = "run by the test below"]
    fn asks_for_a_program() {
        program("sh");
    }

    #[test]
    fn a_fast_run_says_where_the_test_belongs() {
        let mut asking = one_test(module_path!(), "asks_for_a_program");
        let fast = asking.env(FAST, "1").output().unwrap();
        let said = String::from_utf8_lossy(&fast.stdout);
        let expected = "this test starts sh: move it under a module named `real`";
        assert!(said.contains(expected), "{said}");
        let all = asking.env_remove(FAST).output().unwrap();
        assert!(all.status.success(), "{all:?}");
    }
}
