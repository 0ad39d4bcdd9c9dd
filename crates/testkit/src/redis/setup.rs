//! What a server is like before it is started.

use std::{fmt::Write as _, fs, path::PathBuf};

use tempfile::TempDir;

use super::{server::Redis, watcher::Watcher};
use crate::{
    certificates::{A_YEAR, Authority, Signed},
    ports::{Port, ports},
    program, tls,
};

/// Whose server.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// `redis-server`
    #[default]
    Redis,
    /// `valkey-server`
    Valkey,
}

impl Program {
    /// The name of the program, and of its Debian package.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Redis => "redis-server",
            Self::Valkey => "valkey-server",
        }
    }
}

/// Nothing is written that a test did not ask for, and `DEBUG` is at hand.
const LINES: &str = "\
bind 127.0.0.1
protected-mode no
daemonize no
save \"\"
appendonly no
enable-debug-command yes
repl-diskless-sync-delay 0
";

/// A server that is to be started.
#[derive(Debug, Default, Clone)]
pub struct Setup {
    program: Program,
    lines: String,
    password: Option<String>,
    is_sealed: bool,
}

/// Who may connect with TLS, and how.
#[derive(Debug)]
pub(super) struct Seal {
    pub(super) ca: PathBuf,
    pub(super) signed: Signed,
    pub(super) client: tls::Client,
}

impl Setup {
    pub(super) const fn program(&self) -> Program {
        self.program
    }

    /// As it comes, of this program.
    pub fn of(program: Program) -> Self {
        Self { program, ..Self::default() }
    }

    /// With one more line in its configuration, as `maxmemory 2mb`.
    #[must_use]
    pub fn line(mut self, line: &str) -> Self {
        writeln!(self.lines, "{line}").expect("a text takes more");
        self
    }

    /// With a password for the default user.
    #[must_use]
    pub fn password(mut self, password: &str) -> Self {
        self.password = Some(password.to_owned());
        self.line(&format!("requirepass {password}"))
    }

    /// With one more user, by the words after `ACL SETUSER`, as `app on >secret ~* +@all`.
    #[must_use]
    pub fn user(self, words: &str) -> Self {
        self.line(&format!("user {words}"))
    }

    /// With TLS and nothing in the clear. Clients need no certificate.
    #[must_use]
    pub fn tls(mut self) -> Self {
        self.is_sealed = true;
        self
    }

    /// With so little speed that it can be watched while it loads what was saved, until
    /// [`Redis::end_loading`].
    #[must_use]
    pub fn slow_to_load(self) -> Self {
        // It answers after each kilobyte, which is each key of `Redis::restart_loading`.
        self.line("rdbcompression no")
            .line("loading-process-events-interval-bytes 1024")
            .line("key-load-delay 50000")
    }

    /// Starts it.
    ///
    /// # Panics
    ///
    /// If the program is not installed, or not ready in time: its log is told.
    pub fn start(self) -> Redis {
        let ports = ports();
        let found = ports.filter_map(|port| self.launch(port, "", None).once_up());
        { found }.next().expect("one of many ports is free")
    }

    /// Starts it on a port and does not wait, with lines of its own, and a file in its folder.
    pub(super) fn launch(&self, port: Port, lines: &str, file: Option<(&str, String)>) -> Redis {
        let number = port.number();
        let program = program(self.program.name());
        let folder = tempfile::Builder::new()
            .prefix("tollgate-redis-")
            .tempdir()
            .expect("room for temporary files");
        let seal = self.is_sealed.then(|| Seal::new(&folder));
        let mut text = format!("{LINES}dir {}\n", folder.path().display());
        match &seal {
            None => writeln!(text, "port {number}"),
            Some(seal) => write!(text, "{}", seal.lines(number)),
        }
        .expect("a text takes more");
        text += &self.lines;
        text += lines;
        fs::write(folder.path().join("redis.conf"), text).expect("room for temporary files");
        if let Some((name, text)) = file {
            fs::write(folder.path().join(name), text).expect("room for temporary files");
        }
        let mut watcher = Watcher::new(folder.path(), &program);
        watcher.start();
        Redis { watcher, folder, port, password: self.password.clone(), seal }
    }
}

impl Seal {
    fn new(folder: &TempDir) -> Self {
        let authority = Authority::new("the authority of a test");
        let ca = folder.path().join("ca.pem");
        authority.write(&ca);
        let signed = authority.server(folder.path(), "redis", A_YEAR);
        let client = tls::Client::new(&ca, None);
        Self { ca, signed, client }
    }

    fn lines(&self, port: u16) -> String {
        format!(
            "port 0\ntls-port {port}\ntls-cert-file {}\ntls-key-file {}\ntls-ca-cert-file {}\n\
             tls-auth-clients no\n",
            self.signed.certificate.display(),
            self.signed.key.display(),
            self.ca.display(),
        )
    }
}
