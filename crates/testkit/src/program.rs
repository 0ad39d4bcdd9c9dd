//! Where the programs are that tests start.

use std::{
    env,
    path::{Path, PathBuf},
};

use crate::pypi;

/// Debian keeps servers here, which is not on everybody's path.
const DEBIAN: &str = "/usr/sbin";

/// Finds a program by its name, which is that of its Debian package, too.
pub(crate) fn find(name: &str) -> PathBuf {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain([PathBuf::from(DEBIAN)]);
    let found = folders
        .chain(pypi::folders())
        .map(|folder| folder.join(name))
        .find(|path| Path::is_file(path));
    found.unwrap_or_else(|| {
        panic!(
            "`{name}` is neither on the PATH nor in {DEBIAN}: install Debian's package `{name}` \
             (`cargo xtask test` does)"
        )
    })
}
