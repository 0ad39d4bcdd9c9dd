//! The commands that are a line of cargo or of a plug-in: `bench`, `soak`, `supply`.

use crate::needs;
use crate::prepare;
use crate::task::Task;

/// `cargo <plugin>`, from the package `cargo-<plugin>`; installed the first time.
pub(crate) fn ensure(plugin: &str) -> anyhow::Result<()> {
    if Task::cargo([plugin, "--version"]).capture()?.success() {
        return Ok(());
    }
    println!("cargo-{plugin} is missing: installing it, once");
    Task::cargo(["install", "--locked", &format!("cargo-{plugin}")]).run()
}

/// Licences, banned crates and sources of all dependencies, by `deny.toml`.
pub(crate) fn supply() -> anyhow::Result<()> {
    ensure("deny")?;
    Task::cargo(["deny", "check", "bans", "licenses", "sources"]).run()
}

pub(crate) fn bench(args: &[String]) -> anyhow::Result<()> {
    prepare::ensure(needs::FOR_BENCHMARKS)?;
    // The server that is measured lies beside the benchmark.
    Task::cargo(["build", "--profile", "dist", "--package", "tollgate-cli"]).run()?;
    Task::cargo(["run", "--profile", "dist", "--package", "tollgate-benches", "--"])
        .args(args.iter().cloned())
        .run()
}

/// The ignored tests whose name contains `soak`: too long for the normal run.
pub(crate) fn soak() -> anyhow::Result<()> {
    println!("Running the ignored tests named `soak`, in release; each prints what it compares.");
    Task::cargo(["test", "--release", "--workspace", "--exclude", "tollgate-benches"])
        .args(["--", "--ignored", "soak", "--nocapture"])
        .run()
}
