//! Where PostgreSQL's programs are: on the path, or where Debian keeps them.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::fast::refuse_when_fast;

/// Holds one folder per version, each with a `bin`.
const DEBIAN: &str = "/usr/lib/postgresql";

/// The folder of one installed version. Server and clients come from the same one: a dump is only
/// sure to be read by the `psql` that came with its `pg_dump`.
#[derive(Debug, Clone)]
pub(super) struct Programs {
    folder: PathBuf,
}

impl Programs {
    pub(super) fn find() -> Self {
        refuse_when_fast("postgres");
        let path = env::var_os("PATH").unwrap_or_default();
        Self::find_in(env::split_paths(&path), Path::new(DEBIAN)).unwrap_or_else(|| {
            panic!(
                "`postgres` is neither on the PATH nor in {DEBIAN}/*/bin: install Debian's \
                 package `postgresql` (`cargo xtask test` does)"
            )
        })
    }

    fn find_in(path: impl Iterator<Item = PathBuf>, debian: &Path) -> Option<Self> {
        let on_path = path
            .map(|folder| folder.join("postgres"))
            .find(|program| program.is_file())
            // A link leads to the folder where the others are, too.
            .and_then(|program| Some(program.canonicalize().ok()?.parent()?.to_owned()));
        on_path.or_else(|| newest(debian)).map(|folder| Self { folder })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A client program.
    pub(super) fn command(&self, program: &str) -> Command {
        let path = self.folder.join(program);
        assert!(
            path.is_file(),
            "no `{program}` in {}: install Debian's packages `postgresql` and `postgresql-client`",
            self.folder.display()
        );
        let mut command = Command::new(path);
        isolate(&mut command);
        command
    }
}

/// Nobody's environment shall lead a program to another server, or change what it says.
pub(super) fn isolate(command: &mut Command) {
    for (name, _) in env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"PG") {
            command.env_remove(name);
        }
    }
    command.env("LC_ALL", "C").env("TZ", "UTC");
}

fn newest(debian: &Path) -> Option<PathBuf> {
    let versions = fs::read_dir(debian).ok()?.filter_map(|entry| {
        let entry = entry.ok()?;
        let name = entry.file_name();
        let version: u32 = name.to_str()?.split('.').next()?.parse().ok()?;
        let folder = entry.path().join("bin");
        folder.join("postgres").is_file().then_some((version, folder))
    });
    versions.max().map(|(_, folder)| folder)
}

#[cfg(test)]
mod tests {
    use std::{fs, iter, os::unix::fs::symlink};

    use super::Programs;

    #[test]
    fn the_newest_version_is_taken_as_a_number() {
        let debian = tempfile::tempdir().unwrap();
        for version in ["9.6", "15", "common"] {
            let folder = debian.path().join(version).join("bin");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("postgres"), "").unwrap();
        }
        fs::create_dir_all(debian.path().join("17/bin")).unwrap(); // the clients only
        let found = Programs::find_in(iter::empty(), debian.path()).unwrap();
        assert_eq!(found.folder, debian.path().join("15/bin"));
    }

    #[test]
    fn the_path_comes_first_and_a_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, real) = (folder.path().join("path"), folder.path().join("real"));
        fs::create_dir(&path).unwrap();
        fs::create_dir(&real).unwrap();
        fs::write(real.join("postgres"), "").unwrap();
        symlink(real.join("postgres"), path.join("postgres")).unwrap();
        let found = Programs::find_in(iter::once(path), folder.path()).unwrap();
        assert_eq!(found.folder, real.canonicalize().unwrap());
    }

    #[test]
    fn nothing_is_found_where_nothing_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = iter::once(folder.path().to_owned());
        assert!(Programs::find_in(path, folder.path()).is_none());
    }
}
