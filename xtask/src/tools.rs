//! Plug-ins of cargo that some commands need, installed the first time.

use crate::task::Task;

/// `cargo <plugin>`, from the package `cargo-<plugin>`.
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
