//! Our server, with 200 rules.

use std::{fs, net::SocketAddr, path::PathBuf, process::Command};

use anyhow::Context as _;
use tollgate::rules::document;

use super::process::{Process, free_address};

/// A server of ours in a folder of its own.
#[derive(Debug)]
pub(super) struct Ours {
    pub(super) process: Process,
    pub(super) http: SocketAddr,
    pub(super) grpc: SocketAddr,
    pub(super) resp: SocketAddr,
    pub(super) admin: SocketAddr,
    pub(super) folder: tempfile::TempDir,
}

impl Ours {
    pub(super) fn start() -> anyhow::Result<Self> {
        Self::start_in(tempfile::tempdir()?, &[])
    }

    /// With more flags, in a folder that has something in it.
    pub(super) fn start_in(folder: tempfile::TempDir, flags: &[&str]) -> anyhow::Result<Self> {
        let rules = folder.path().join("rules.yaml");
        fs::write(&rules, document::write_yaml(&crate::rules::rule_set(200)))?;
        let [http, grpc] = [free_address()?, free_address()?];
        let [resp, admin] = [free_address()?, free_address()?];
        let mut command = Command::new(program()?);
        command.current_dir(folder.path()).arg("serve");
        for (flag, address) in [
            ("--http", http),
            ("--grpc", grpc),
            ("--resp", resp),
            ("--admin", admin),
        ] {
            command.args([flag, &address.to_string()]);
        }
        command.arg("--rules").arg(&rules).args(flags);
        let mut process = Process::start(&command)?;
        for address in [http, grpc, resp, admin] {
            process.listening(address)?;
        }
        Ok(Self {
            process,
            http,
            grpc,
            resp,
            admin,
            folder,
        })
    }
}

/// The program, built beside this one.
fn program() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let program = own.with_file_name("tollgate");
    let is_there = program.is_file();
    is_there
        .then_some(program)
        .context("there is no `tollgate` beside the benchmark: build it with cargo build --release")
}
