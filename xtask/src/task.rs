//! An outside command: shown before it runs, named when it fails.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};

/// A program with its arguments, printable as a line that a shell accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Task {
    program: String,
    args: Vec<String>,
    env: Vec<(String, String)>,
    dir: PathBuf,
}

/// What a command printed, and whether it succeeded.
#[derive(Debug)]
pub(crate) struct Captured {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Task {
    pub(crate) fn new(program: &str) -> Self {
        Self { program: program.to_owned(), args: Vec::new(), env: Vec::new(), dir: root() }
    }

    pub(crate) fn cargo<I: IntoIterator<Item: Into<String>>>(args: I) -> Self {
        Self::new("cargo").args(args)
    }

    pub(crate) fn args<I: IntoIterator<Item: Into<String>>>(mut self, args: I) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.env.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn dir(mut self, dir: &Path) -> Self {
        self.dir = dir.to_owned();
        self
    }

    /// The same under coreutils' `timeout`, which answers 124 when the time is up.
    pub(crate) fn limited(self, seconds: u32) -> Self {
        let mut args = vec!["--kill-after=10".to_owned(), seconds.to_string(), self.program];
        args.extend(self.args);
        Self { program: "timeout".to_owned(), args, env: self.env, dir: self.dir }
    }

    /// Runs on this terminal; fails unless the program succeeds.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        println!("$ {self}");
        let status = self.command().status().with_context(|| self.not_started())?;
        if !status.success() {
            bail!("`{self}` failed ({status})");
        }
        Ok(())
    }

    /// Runs quietly; fails only when the program cannot be started.
    pub(crate) fn capture(&self) -> anyhow::Result<Captured> {
        let output =
            self.command().stdin(Stdio::null()).output().with_context(|| self.not_started())?;
        Ok(Captured {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// For callers that need more than `run` and `capture` do.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args).current_dir(&self.dir);
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    fn not_started(&self) -> String {
        format!("could not start `{}`, is it installed?", self.program)
    }
}

impl fmt::Display for Task {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.env {
            write!(out, "{name}={} ", quoted(value))?;
        }
        write!(out, "{}", self.program)?;
        for arg in &self.args {
            write!(out, " {}", quoted(arg))?;
        }
        Ok(())
    }
}

impl Captured {
    pub(crate) fn success(&self) -> bool {
        self.code == Some(0)
    }
}

/// The repository's top folder: the one above this package.
pub(crate) fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_owned()
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,@+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::Task;

    #[test]
    fn prints_as_a_line_that_can_be_pasted_into_a_shell() {
        let task = Task::cargo(["test", "it's"]).env("RUSTFLAGS", "--cfg loom");
        assert_eq!(task.to_string(), r"RUSTFLAGS='--cfg loom' cargo test 'it'\''s'");
    }

    #[test]
    fn a_failing_command_is_named() {
        let error = Task::new("false").run().unwrap_err();
        assert!(error.to_string().contains("`false` failed"), "{error}");
    }

    #[test]
    fn a_limited_command_is_cut() {
        assert_eq!(Task::new("sleep").args(["60"]).limited(1).capture().unwrap().code, Some(124));
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = Task::new("no-such-program").run().unwrap_err();
        assert!(error.to_string().contains("`no-such-program`"), "{error}");
    }
}
