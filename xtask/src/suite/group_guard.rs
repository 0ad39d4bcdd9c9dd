//! The end of a process group: on demand, and when this process is gone.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

/// The input never brings a line, but it ends.
const SCRIPT: &str = r#"trap '' HUP INT TERM; read -r line; kill -s KILL -- "-$1""#;

/// A shell that kills a process group when its input ends, which happens however this process ends.
#[derive(Debug)]
pub(crate) struct GroupGuard {
    shell: Child,
}

impl GroupGuard {
    /// Of the group whose first process has this id.
    pub(crate) fn new(group: u32) -> io::Result<Self> {
        let mut command = Command::new("sh");
        command
            .args(["-c", SCRIPT, "guard", &group.to_string()])
            // A terminal's interrupt is not for the shell: it must live a moment longer than we do.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let shell = command.spawn()?;
        Ok(Self { shell })
    }

    /// Kills what is left of the group, and returns when that is done. The second time does nothing.
    pub(crate) fn kill(&mut self) {
        drop(self.shell.stdin.take());
        // Without the shell there is nothing to wait for.
        drop(self.shell.wait());
    }
}

impl Drop for GroupGuard {
    fn drop(&mut self) {
        self.kill();
    }
}

#[cfg(test)]
mod tests {
    use super::{Command, GroupGuard};
    use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};

    #[test]
    fn a_dropped_guard_kills_the_group() {
        let mut command = Command::new("sh");
        let leader = command.args(["-c", "sleep 600"]).process_group(0);
        let mut leader = leader.spawn().unwrap();
        drop(GroupGuard::new(leader.id()).unwrap());
        assert_eq!(leader.wait().unwrap().signal(), Some(9));
    }
}
