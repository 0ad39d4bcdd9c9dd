//! The program in a folder of its own, as somebody at a desk runs it.

use std::{
    fs,
    io::Write as _,
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;
use tollgate_testkit::postgres::Postgres;

/// The `tollgate` binary under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_tollgate");

/// A folder, and the database that the commands run in it work on.
pub(crate) struct Desk {
    folder: TempDir,
    database: Option<String>,
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Desk {
    /// With the SQLite file that is the default.
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), database: None }
    }

    /// With a database by its address.
    pub(crate) fn on(url: &str) -> Self {
        Self { database: Some(url.to_owned()), ..Self::new() }
    }

    pub(crate) fn sqlite() -> Self {
        Self::new()
    }

    /// With a database of a real PostgreSQL.
    pub(crate) fn postgres() -> Self {
        Self::on(Postgres::shared().database("cli").url())
    }

    /// The address of the database.
    pub(crate) fn url(&self) -> String {
        let in_folder = || format!("sqlite:{}", self.path("tollgate-data/tollgate.db").display());
        self.database.clone().unwrap_or_else(in_folder)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program with words to be split at blanks.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.command_of(PROGRAM);
        command.args(words);
        command
    }

    /// Another program, in this folder and with the settings of this database.
    pub(crate) fn command_of(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        cleared(&mut command).current_dir(self.folder.path());
        if let Some(url) = &self.database {
            command.env("TOLLGATE_DATABASE", url);
            // All nodes of a database share it.
            command.env("TOLLGATE_KEY_SECRET", "a-secret-of-all-nodes-for-tests-only");
        }
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> Ran {
        self.run_on(words, "")
    }

    /// Runs `line`, whose words have no blanks.
    pub(crate) fn line(&self, line: &str) -> Ran {
        self.run(&line.split_whitespace().collect::<Vec<_>>())
    }

    /// With something on the standard input.
    pub(crate) fn run_on(&self, words: &[&str], input: &str) -> Ran {
        let mut command = self.command(words);
        command.stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // One that does not read its input has not to.
        drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
        let output = child.wait_with_output().unwrap();
        Ran {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// It went as asked.
    #[track_caller]
    pub(crate) fn fine(self) -> Self {
        self.with(0)
    }

    #[track_caller]
    pub(crate) fn with(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Both streams hold nothing but what a person can read.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        let all = format!("{}{}", self.out, self.err);
        assert!(all.contains(text), "{text:?} is not said: {self:#?}");
        assert!(!all.contains("panicked"), "{self:#?}");
        self
    }

    /// The JSON on the standard output, which is all that is printed.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.err, "", "{self:#?}");
        let json = serde_json::from_str(&self.out);
        json.unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

/// A command without what the environment of the tests says to our program and about proxies.
pub(crate) fn cleared(command: &mut Command) -> &mut Command {
    for (name, _) in std::env::vars_os() {
        let known = name.to_string_lossy().to_ascii_lowercase();
        if known.starts_with("tollgate_") || known.ends_with("_proxy") {
            command.env_remove(name);
        }
    }
    command
}

/// The names of an object's fields.
#[track_caller]
pub(crate) fn fields(json: &Value) -> Vec<&str> {
    let fields = json.as_object().unwrap();
    fields.keys().map(String::as_str).collect()
}

/// A rules file with one rule.
pub(crate) fn login(limit: &str) -> String {
    format!(
        "version: 1\nrules:\n  - name: login\n    match: {{ endpoint: /login }}\n    \
         key: [\"user|ip\"]\n    limit: {limit}\n"
    )
}
