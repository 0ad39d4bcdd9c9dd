//! A program that cargo has built, with the command that runs it again.

use std::path::PathBuf;

use crate::task::Task;

/// Tests below a module of this name start outside programs.
const REAL: &str = "real";

/// Makes the testkit refuse to start outside programs.
const FAST_VARIABLE: &str = "TOLLGATE_TEST_FAST";

/// Lets libtest take unstable options, which it looks up when it runs. It is set for the test binaries only: a
/// build that saw it would compile parts of its dependencies differently, and all of them again. The programs
/// that a test starts inherit it; none of them is a compiler.
const UNSTABLE_VARIABLE: &str = "RUSTC_BOOTSTRAP";

/// What cargo calls a target, with its name where a package may have several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Lib,
    Bin(String),
    Test(String),
    Example(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) package: String,
    pub(crate) version: String,
    pub(crate) kind: Kind,
    /// Of the package; tests expect to run there.
    pub(crate) folder: PathBuf,
    pub(crate) executable: PathBuf,
}

/// Whether a test starts outside programs, by its path.
pub(crate) fn is_real(test: &str) -> bool {
    let modules = test.rsplit("::").skip(1);
    modules.into_iter().any(|module| module == REAL)
}

impl Target {
    /// For people: `tollgate-redis it`.
    pub(crate) fn label(&self) -> String {
        match &self.kind {
            Kind::Lib => format!("{} lib", self.package),
            Kind::Bin(name) => format!("{} bin {name}", self.package),
            Kind::Test(name) => format!("{} {name}", self.package),
            Kind::Example(name) => format!("{} example {name}", self.package),
        }
    }

    /// The command that runs the whole binary again.
    pub(crate) fn again(&self) -> Task {
        let task = Task::cargo(["test", "-p", &self.package]);
        match &self.kind {
            Kind::Lib => task.args(["--lib"]),
            Kind::Bin(name) => task.args(["--bin", name]),
            Kind::Test(name) => task.args(["--test", name]),
            Kind::Example(name) => Task::cargo(["run", "-p", &self.package, "--example", name]),
        }
    }

    /// The command that runs one test again.
    pub(crate) fn test_again(&self, test: &str) -> Task {
        self.again().args(["--", "--exact", test])
    }

    /// Prints the names of the tests.
    pub(crate) fn list(&self) -> Task {
        self.run().args(["--list", "--format", "terse"])
    }

    /// Runs these tests, and reports them as JSON.
    pub(crate) fn tests(&self, names: &[String], reach: Reach) -> Task {
        let json = ["-Zunstable-options", "--format", "json", "--report-time"];
        let task = self.run().env(UNSTABLE_VARIABLE, "1").args(json);
        let task = task.args(["--exact"]).args(names.iter().cloned());
        reach.hold(task)
    }

    /// As cargo would run it. What cargo has set for this task runner is inherited, and so it is replaced.
    pub(crate) fn run(&self) -> Task {
        let folder = self.folder.to_string_lossy();
        let manifest = self.folder.join("Cargo.toml");
        Task::new(&self.executable.to_string_lossy())
            .dir(&self.folder)
            .env("CARGO_MANIFEST_DIR", folder)
            .env("CARGO_MANIFEST_PATH", manifest.to_string_lossy())
            .env("CARGO_PKG_NAME", &self.package)
            .env("CARGO_PKG_VERSION", &self.version)
    }
}

/// What the tests of a run may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    Everything,
    NoOutsidePrograms,
}

impl Reach {
    /// The same task, kept from starting more than it may.
    pub(crate) fn hold(self, task: Task) -> Task {
        match self {
            Self::Everything => task,
            Self::NoOutsidePrograms => task.env(FAST_VARIABLE, "1"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, PathBuf, Reach, Target, is_real};

    fn target(kind: Kind) -> Target {
        Target {
            package: "tollgate-redis".to_owned(),
            version: "0.1.0".to_owned(),
            kind,
            folder: PathBuf::from("/repository/crates/redis"),
            executable: PathBuf::from("/target/debug/deps/it-1"),
        }
    }

    #[test]
    fn a_module_named_real_marks_tests_with_outside_programs() {
        assert!(is_real("real::leases::a_lease_ends"));
        assert!(is_real("leases::real::a_lease_ends"));
        assert!(!is_real("surreal::a_lease_ends"));
        assert!(!is_real("leases::real"));
    }

    #[test]
    fn a_failed_test_is_repeated_by_its_exact_name() {
        let again = |kind| target(kind).test_again("a::b").to_string();
        assert_eq!(
            again(Kind::Test("it".to_owned())),
            "cargo test -p tollgate-redis --test it -- --exact a::b"
        );
        assert_eq!(again(Kind::Lib), "cargo test -p tollgate-redis --lib -- --exact a::b");
        assert_eq!(
            again(Kind::Bin("tollgate".to_owned())),
            "cargo test -p tollgate-redis --bin tollgate -- --exact a::b"
        );
    }

    #[test]
    fn an_example_is_repeated_by_running_it() {
        let example = target(Kind::Example("quickstart".to_owned()));
        assert_eq!(example.again().to_string(), "cargo run -p tollgate-redis --example quickstart");
    }

    #[test]
    fn a_fast_run_forbids_outside_programs() {
        let target = target(Kind::Lib);
        let names = ["a::b".to_owned()];
        let fast = target.tests(&names, Reach::NoOutsidePrograms).to_string();
        assert!(fast.contains("TOLLGATE_TEST_FAST=1"), "{fast}");
        assert!(fast.ends_with("--report-time --exact a::b"), "{fast}");
        let full = target.tests(&names, Reach::Everything).to_string();
        assert!(!full.contains("TOLLGATE_TEST_FAST"), "{full}");
    }
}
