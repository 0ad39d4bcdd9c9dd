//! Makes a bare Debian machine able to run the tests: packages by name, only what is missing.

use std::env;
use std::fs;
use std::path::Path;

use anyhow::bail;

use crate::needs::{FROM_BACKPORTS, Need, STARTED_BY_DEBIAN};
use crate::task::Task;

/// There while systemd runs the machine.
const SYSTEMD: &str = "/run/systemd/system";

/// Where servers are; an ordinary user's PATH does not have it.
const SERVERS: &str = "/usr/sbin";

/// Debian keeps PostgreSQL's server off the PATH: here is a folder per version, each with a `bin`.
const DEBIAN_POSTGRES: &str = "/usr/lib/postgresql";

/// Installs what is missing, and says so; a machine that has everything is left alone.
pub(crate) fn ensure(needs: &[Need]) -> anyhow::Result<()> {
    install(&missing(needs, is_installed))
}

/// Installs all of these, and says so.
pub(crate) fn install(missing: &[&Need]) -> anyhow::Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    for need in missing {
        println!("`{}` is missing: it {}", need.program, need.reason);
    }
    if !is_installed("apt-get") {
        bail!("no apt-get on this machine, please install: {}", packages(missing).join(", "));
    }
    for task in installation(missing, privilege()) {
        task.run()?;
    }
    if !Path::new(SYSTEMD).exists() {
        return Ok(());
    }
    for task in silence(missing, privilege()) {
        task.run()?;
    }
    Ok(())
}

/// Who may call apt-get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Privilege {
    Root,
    Sudo,
}

fn missing(needs: &[Need], installed: impl Fn(&str) -> bool) -> Vec<&Need> {
    needs.iter().filter(|need| !installed(need.program)).collect()
}

fn packages(missing: &[&Need]) -> Vec<&'static str> {
    missing.iter().flat_map(|need| need.packages.iter().copied()).collect()
}

fn installation(missing: &[&Need], privilege: Privilege) -> Vec<Task> {
    let apt = || match privilege {
        Privilege::Root => Task::new("apt-get").env("DEBIAN_FRONTEND", "noninteractive"),
        Privilege::Sudo => Task::new("sudo").args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]),
    };
    let packages = packages(missing);
    let is_recent = |package: &&&str| FROM_BACKPORTS.contains(package);
    let backports = packages.iter().filter(is_recent);
    let backports = backports.map(|package| backports_for(package, privilege));
    let install = ["install", "--yes", "--no-install-recommends"];
    let mut tasks = vec![apt().args(["update"])];
    tasks.extend(backports);
    tasks.push(apt().args(install).args(packages.iter().copied()));
    tasks
}

/// Adds the packages that Debian ports back to this release, if apt knows none of this name.
fn backports_for(package: &str, privilege: Privilege) -> Task {
    let task = match privilege {
        Privilege::Root => Task::new("sh"),
        Privilege::Sudo => Task::new("sudo").args(["sh"]),
    };
    task.args(["-c", include_str!("backports.sh"), "backports", package])
}

/// Stops what Debian has started, of what was missing before.
fn silence(missing: &[&Need], privilege: Privilege) -> Vec<Task> {
    let is_started = |need: &&&Need| STARTED_BY_DEBIAN.contains(&need.program);
    let services = missing.iter().filter(is_started);
    let systemctl = || match privilege {
        Privilege::Root => Task::new("systemctl"),
        Privilege::Sudo => Task::new("sudo").args(["systemctl"]),
    };
    services.map(|need| systemctl().args(["disable", "--now", need.program])).collect()
}

fn privilege() -> Privilege {
    let user = Task::new("id").args(["-u"]).capture();
    let is_root = user.is_ok_and(|user| user.stdout.trim() == "0");
    if is_root { Privilege::Root } else { Privilege::Sudo }
}

fn is_installed(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).chain([SERVERS.into()]).any(|folder| folder.join(program).is_file())
        || is_in_a_version(program, Path::new(DEBIAN_POSTGRES))
}

fn is_in_a_version(program: &str, folder: &Path) -> bool {
    let versions = fs::read_dir(folder).into_iter().flatten().flatten();
    versions.map(|version| version.path().join("bin").join(program)).any(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Privilege, installation, is_in_a_version, is_installed, missing, silence};
    use crate::needs::{FOR_TESTS, Need};

    const NEEDS: &[Need] = &[
        Need { program: "cc", packages: &["gcc", "libc6-dev"], reason: "links" },
        Need { program: "nginx", packages: &["nginx"], reason: "is a gateway" },
    ];

    #[test]
    fn only_what_is_missing_is_asked_for() {
        let missing = missing(NEEDS, |program| program == "cc");
        let tasks = installation(&missing, Privilege::Root);
        let tasks: Vec<String> = tasks.iter().map(ToString::to_string).collect();
        assert_eq!(
            tasks,
            [
                "DEBIAN_FRONTEND=noninteractive apt-get update",
                "DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends nginx",
            ]
        );
    }

    #[test]
    fn what_debian_starts_is_stopped() {
        let missing = missing(NEEDS, |_| false);
        let tasks = silence(&missing, Privilege::Sudo);
        let tasks: Vec<String> = tasks.iter().map(ToString::to_string).collect();
        assert_eq!(tasks, ["sudo systemctl disable --now nginx"]);
    }

    #[test]
    fn an_ordinary_user_goes_through_sudo() {
        let missing = missing(NEEDS, |_| false);
        let tasks = installation(&missing, Privilege::Sudo);
        assert_eq!(tasks[0].to_string(), "sudo DEBIAN_FRONTEND=noninteractive apt-get update");
    }

    #[test]
    fn what_a_release_is_too_old_for_comes_from_its_backports() {
        let valkey = |need: &&Need| need.program == "valkey-server";
        let missing: Vec<&Need> = FOR_TESTS.iter().filter(valkey).collect();
        let tasks = installation(&missing, Privilege::Sudo);
        let tasks: Vec<String> = tasks.iter().map(ToString::to_string).collect();
        assert_eq!(tasks.len(), 3, "update, backports, install");
        assert!(tasks[1].starts_with("sudo sh -c "), "{}", tasks[1]);
        assert!(tasks[1].ends_with(" backports valkey-server"), "{}", tasks[1]);
    }

    #[test]
    fn a_complete_machine_is_left_alone() {
        assert!(missing(NEEDS, |_| true).is_empty());
    }

    #[test]
    fn a_program_is_looked_up_on_the_path() {
        assert!(is_installed("sh"));
        assert!(!is_installed("no-such-program"));
    }

    #[test]
    fn a_server_off_the_path_is_looked_up_by_version() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!is_in_a_version("postgres", &folder.path().join("none")));
        fs::create_dir_all(folder.path().join("14/bin")).unwrap();
        fs::create_dir_all(folder.path().join("15/bin")).unwrap();
        assert!(!is_in_a_version("postgres", folder.path()));
        fs::write(folder.path().join("15/bin/postgres"), "").unwrap();
        assert!(is_in_a_version("postgres", folder.path()));
    }
}
