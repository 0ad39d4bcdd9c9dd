//! A client of the gRPC listener: grpcio with the stubs that Envoy's project publishes.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::SocketAddr,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

use crate::common::cleared;

/// A Python process with one channel; it is killed when this is dropped.
pub(crate) struct RlsClient {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl RlsClient {
    pub(crate) fn to(address: SocketAddr) -> Self {
        Self::start(&address.to_string())
    }

    fn start(address: &str) -> Self {
        let mut child = cleared(&mut Command::new(tollgate_testkit::pypi("python")))
            .args(["-c", include_str!("client.py")])
            .arg(address)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let questions = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Self { child, questions, answers }
    }

    /// `ShouldRateLimit`, with every field that is set in the answer. Enumerations are names.
    #[track_caller]
    pub(crate) fn ask(&mut self, request: &Value) -> Value {
        self.deed("should_rate_limit", request)
    }

    /// The health of a service.
    #[track_caller]
    pub(crate) fn is_healthy(&mut self, service: &str) -> Value {
        self.deed("is_healthy", &json!(service))
    }

    /// The services that the server says it has.
    #[track_caller]
    pub(crate) fn services(&mut self) -> Value {
        self.deed("services", &Value::Null)
    }

    /// The fields of a message as the server describes it.
    #[track_caller]
    pub(crate) fn fields(&mut self, message: &str) -> Value {
        self.deed("fields", &json!(message))
    }

    #[track_caller]
    fn deed(&mut self, deed: &str, asked: &Value) -> Value {
        writeln!(self.questions, "{}", json!([deed, asked])).unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {asked} {answer:?}"))
    }
}

impl Drop for RlsClient {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
