//! Our server, with 200 rules.

use std::{fs, net::SocketAddr, path::PathBuf, process::Command};

use anyhow::Context as _;
use tollgate::rules::document;

use super::process::{Process, free_address};

/// A server of ours in a folder of its own.
#[derive(Debug)]
pub(crate) struct Ours {
    pub(super) process: Process,
    pub(crate) http: SocketAddr,
    pub(super) grpc: SocketAddr,
    pub(crate) resp: SocketAddr,
    pub(super) admin: SocketAddr,
    pub(super) folder: tempfile::TempDir,
}

impl Ours {
    pub(crate) fn start() -> anyhow::Result<Self> {
        Self::start_in(tempfile::tempdir()?, &[])
    }

    /// With other rules than everybody's.
    pub(crate) fn with_rules(rules: &str) -> anyhow::Result<Self> {
        Self::serve(tempfile::tempdir()?, rules, &[])
    }

    /// With more flags, in a folder that has something in it.
    pub(super) fn start_in(folder: tempfile::TempDir, flags: &[&str]) -> anyhow::Result<Self> {
        let rules = document::write_yaml(&crate::rules::rule_set(200));
        Self::serve(folder, &rules, flags)
    }

    fn serve(folder: tempfile::TempDir, text: &str, flags: &[&str]) -> anyhow::Result<Self> {
        let rules = folder.path().join("rules.yaml");
        fs::write(&rules, text)?;
        let [http, grpc] = [free_address()?, free_address()?];
        let [resp, admin] = [free_address()?, free_address()?];
        let mut command = Command::new(program()?);
        command.current_dir(folder.path()).arg("serve");
        for (flag, address) in
            [("--http", http), ("--grpc", grpc), ("--resp", resp), ("--admin", admin)]
        {
            command.args([flag, &address.to_string()]);
        }
        command.arg("--rules").arg(&rules).args(flags);
        let mut process = Process::start(&command)?;
        for address in [http, grpc, resp, admin] {
            process.listening(address)?;
        }
        Ok(Self { process, http, grpc, resp, admin, folder })
    }
}

/// The program, built beside this one.
fn program() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let program = own.with_file_name("tollgate");
    let is_there = program.is_file();
    is_there.then_some(program).context(
        "there is no `tollgate` beside the benchmark: build it with cargo build --profile dist",
    )
}
