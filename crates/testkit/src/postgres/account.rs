//! Whom the server runs as: PostgreSQL refuses to be root.

use std::{
    os::unix::{fs::chown, process::CommandExt as _},
    path::Path,
    process::Command,
};

use rustix::process::geteuid;

use super::run::{SHORT, run};

const NAME: &str = "postgres";

#[derive(Debug, Clone, Copy)]
pub(super) enum Account {
    /// We are an ordinary user, and so is the server.
    Ours,
    /// We are root; the server is the user that Debian's package made for it.
    Theirs { user: u32, group: u32 },
}

impl Account {
    pub(super) fn find() -> Self {
        if !geteuid().is_root() {
            return Self::Ours;
        }
        Self::Theirs { user: id("-u"), group: id("-g") }
    }

    pub(super) fn owns(self, folder: &Path) {
        if let Self::Theirs { user, group } = self {
            chown(folder, Some(user), Some(group)).expect("root may give a folder away");
        }
    }

    pub(super) fn runs(self, command: &mut Command) {
        if let Self::Theirs { user, group } = self {
            command.uid(user).gid(group);
        }
    }
}

fn id(which: &str) -> u32 {
    let output = run(Command::new("id").args([which, NAME]), None, SHORT);
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    text.ok().and_then(|text| text.trim().parse().ok()).unwrap_or_else(|| {
        panic!(
            "PostgreSQL does not run as root, and there is no user `{NAME}`: install Debian's \
                 package `postgresql`"
        )
    })
}
