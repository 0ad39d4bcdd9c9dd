//! Runs the commands of a page in a folder of its own.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Command,
};

use tollgate_testkit::{
    free_address,
    gateway::{self, Gateway},
    program,
};

use crate::{
    common::{Desk, cleared, server::Server},
    docs::block::Block,
};

/// The address that pages use for a PostgreSQL; a real one takes its place.
const ADDRESS: &str = "postgres://gate:secret@db.example/tollgate";

pub(crate) struct Shell {
    desk: Desk,
    variables: BTreeMap<String, String>,
    /// The server that the page has started, on free ports in the place of those it names.
    server: Option<Server>,
    /// Where the gateway of a page listens, and the site behind it.
    gateway_at: SocketAddr,
    site_at: SocketAddr,
    gateways: Vec<Gateway>,
}

impl Shell {
    pub(crate) fn new() -> Self {
        // The pages ask with it; other programs are found when they are started.
        program("curl");
        Self {
            desk: Desk::new(),
            variables: BTreeMap::new(),
            server: None,
            gateway_at: free_address(),
            site_at: free_address(),
            gateways: Vec::new(),
        }
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        self.desk.write(name, text);
    }

    /// A file that names ports.
    pub(crate) fn write_mapped(&self, name: &str, text: &str) {
        self.desk.write(name, &self.mapped(text));
    }

    pub(crate) fn write_program(&self, name: &str, text: &str) {
        self.desk.write(name, &patient(name, text));
    }

    /// With free ports in the place of those that the manual names.
    fn mapped(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (page, ours) in self.ports() {
            text = text.replace(page, &ours);
        }
        text
    }

    /// Runs every command of a block and compares what it prints; says how many there were.
    pub(crate) fn play(&mut self, page: &str, block: &Block<'_>) -> usize {
        let commands = block.commands();
        for (command, wanted) in &commands {
            let printed = self.run(command);
            let printed: Vec<&str> = printed.lines().collect();
            assert!(
                fits(wanted, &printed),
                "{page}, block at line {}: $ {command}\n--- the page says\n{}\n--- it prints\n{}\n",
                block.line,
                wanted.join("\n"),
                printed.join("\n")
            );
        }
        commands.len()
    }

    /// The ports of the manual, and those of the server that is running.
    fn ports(&self) -> Vec<(&'static str, String)> {
        let mut ports = vec![("8000", self.gateway_at), ("8001", self.site_at)];
        if let Some(server) = &self.server {
            ports.extend([
                ("7070", server.http),
                ("7071", server.grpc),
                ("7072", server.resp),
                ("7080", server.admin),
            ]);
        }
        let ports = ports.iter();
        ports.map(|(page, ours)| (*page, ours.port().to_string())).collect()
    }

    /// Starts a gateway, or a site behind one, if that is what the command does.
    fn start(&mut self, command: &str) -> bool {
        let programs =
            [("nginx ", self.gateway_at), ("envoy ", self.gateway_at), ("python3 ", self.site_at)];
        let known = programs.iter().find_map(|(program, at)| {
            let words = command.strip_prefix(program)?;
            // A program that is waited for is none of these.
            (*program != "python3 " || words.ends_with('&')).then_some(())?;
            Some((program.trim_end(), words, *at))
        });
        let Some((program, words, at)) = known else {
            return false;
        };
        // The machine may have other work, and nobody is late on purpose.
        match program {
            "nginx" => self.patient("tollgate.conf", [("100ms;", "60s;"), ("50ms;", "60s;")]),
            "envoy" => self.patient("envoy.yaml", [(": 0.020s", ": 60s"), (": 0.050s", ": 60s")]),
            _ => {}
        }
        let words = self.mapped(words.trim_end_matches('&'));
        let words: Vec<&str> = words.split_whitespace().collect();
        let run = gateway::run(program, &words, &self.desk.path("."), at);
        self.gateways.push(run);
        true
    }

    /// Puts longer waits into a file.
    fn patient(&self, file: &str, waits: [(&str, &str); 2]) {
        let mut text = self.desk.read(file);
        for (short, long) in waits {
            assert!(text.contains(short), "{file} waits no {short}");
            text = text.replace(short, long);
        }
        self.desk.write(file, &text);
    }

    fn run(&mut self, command: &str) -> String {
        if let Some(words) = command.strip_prefix("tollgate serve") {
            let words = words.trim_end_matches('&').split_whitespace();
            self.server = Some(self.desk.serve(&words.collect::<Vec<_>>()));
            let server = self.server.iter();
            let addresses = |it: &Server| {
                [("HTTP", it.http), ("GRPC", it.grpc), ("RESP", it.resp), ("ADMIN", it.admin)]
            };
            for (name, address) in server.flat_map(addresses) {
                let (name, address) = (format!("TOLLGATE_{name}"), address.to_string());
                self.variables.insert(name, address);
            }
            return String::new();
        }
        if self.start(command) {
            return String::new();
        }
        let command = self.mapped(command).replace("--wait 10", "--wait 60");
        if let Some((name, value)) =
            command.strip_prefix("export ").and_then(|it| it.split_once('='))
        {
            let value = match value {
                ADDRESS => {
                    let database =
                        tollgate_testkit::postgres::Postgres::shared().database("manual");
                    database.url().to_owned()
                }
                other => other.to_owned(),
            };
            self.variables.insert(name.to_owned(), value);
            return String::new();
        }
        let program = Path::new(env!("CARGO_BIN_EXE_tollgate"));
        let folder = program.parent().unwrap().display();
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("exec 2>&1; PATH=\"{folder}:$PATH\"\n{command}"));
        cleared(&mut shell).current_dir(self.desk.path("."));
        shell.envs(go_environment(&self.desk.path(".")));
        shell.envs(&self.variables);
        let output = shell.output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

/// A program that gives up soon: here later, since the machine may have other work.
pub(super) fn patient(name: &str, text: &str) -> String {
    let waits = [
        ("timeout=0.05", "timeout=60"),
        ("timeout(50)", "timeout(60_000)"),
        ("50 * time.Millisecond", "60 * time.Second"),
    ];
    let wait = waits.iter().find(|(short, _)| text.contains(short));
    let (short, long) = wait.unwrap_or_else(|| panic!("{name} may wait for ever"));
    text.replace(short, long)
}

/// Go builds what it needs of its library once, and keeps it with what tests keep.
pub(crate) fn go_environment(folder: &Path) -> [(&'static str, PathBuf); 5] {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("go");
    [
        ("GOCACHE", cache),
        ("GOPATH", folder.to_owned()),
        ("GOFLAGS", PathBuf::new()),
        ("GOTOOLCHAIN", "local".into()),
        ("CGO_ENABLED", "0".into()),
    ]
}

/// Whether the lines are as the page has them; a line `…` stands for any number of lines.
fn fits(wanted: &[&str], printed: &[&str]) -> bool {
    match (wanted, printed) {
        ([], []) => true,
        (["…", rest @ ..], _) => (0..=printed.len())
            .any(|skipped| fits(rest, printed.get(skipped..).unwrap_or_default())),
        ([line, wanted @ ..], [found, printed @ ..]) => {
            is_line(line, found) && fits(wanted, printed)
        }
        _ => false,
    }
}

/// Within a line `…` stands for any text.
fn is_line(wanted: &str, found: &str) -> bool {
    let mut parts = wanted.split('…');
    let Some(mut rest) = parts.next().and_then(|first| found.strip_prefix(first)) else {
        return false;
    };
    let mut is_open = false;
    for part in parts {
        is_open = true;
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
        if part.is_empty() {
            rest = "";
        }
    }
    rest.is_empty() || (is_open && wanted.ends_with('…'))
}

#[test]
fn dots_stand_for_anything() {
    assert!(fits(&["a", "…", "d"], &["a", "b", "c", "d"]));
    assert!(fits(&["1  …  by ann, …: new"], &["1  2026  by ann, 2 changes: new"]));
    assert!(!fits(&["1  …  by ann"], &["1  2026  by bob"]));
    assert!(!fits(&["a …b"], &["a bc"]));
    assert!(!fits(&["a"], &["a", "b"]));
}
