//! A server that runs, asked over HTTP.

use std::{path::PathBuf, time::Duration};

use anyhow::Context as _;
use serde_json::Value;
use tollgate_server::{Outgoing, OutgoingError, Reply};

use crate::outcome::Failure;

/// How long a server may take.
const DEADLINE: Duration = Duration::from_secs(5);

/// The token that a server asks for
#[derive(Debug, clap::Args)]
pub(crate) struct Credentials {
    /// A file with the token that the server asks for; without it TOLLGATE_TOKEN
    #[arg(long, value_name = "FILE", env = "TOLLGATE_TOKEN_FILE")]
    token_file: Option<PathBuf>,
}

impl Credentials {
    fn token(&self) -> anyhow::Result<Option<String>> {
        let text = match &self.token_file {
            Some(path) => Some(
                std::fs::read_to_string(path)
                    .with_context(|| format!("cannot read the token in {}", path.display()))?,
            ),
            None => tollgate_server::environment().remove("TOLLGATE_TOKEN"),
        };
        let token = text.map(|text| text.trim().to_owned());
        Ok(token.filter(|token| !token.is_empty()))
    }
}

/// Posts JSON, and reads the JSON that comes back, with the status.
pub(crate) fn post(
    authority: &str,
    path: &str,
    credentials: &Credentials,
    body: &Value,
) -> anyhow::Result<(u16, Value)> {
    let token = credentials.token()?;
    let outgoing = Outgoing {
        authority,
        path,
        token: token.as_deref(),
        body: &body.to_string(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let reply = runtime.block_on(outgoing.post(DEADLINE)).map_err(told)?;
    Ok((reply.status, json_of(&reply, authority)?))
}

fn told(error: OutgoingError) -> anyhow::Error {
    match &error {
        OutgoingError::Connect { authority, .. } if error.is_refused() => Failure::new(format!(
            "no server at {authority}: is `tollgate serve` running?"
        ))
        .into(),
        _ => error.into(),
    }
}

fn json_of(reply: &Reply, authority: &str) -> anyhow::Result<Value> {
    serde_json::from_slice(&reply.body).map_err(|_| {
        let start: String = String::from_utf8_lossy(&reply.body)
            .chars()
            .take(80)
            .collect();
        let status = reply.status;
        Failure::new(format!(
            "{authority} answered {status} without JSON, so it is no Tollgate: {start:?}"
        ))
        .into()
    })
}

/// What an answer that is no answer says is wrong.
pub(crate) fn refusal(status: u16, answer: &Value) -> anyhow::Error {
    let detail = answer
        .get("detail")
        .or_else(|| answer.get("title"))
        .and_then(Value::as_str);
    let detail = detail.unwrap_or("it does not say why");
    let failure = Failure::new(format!("the server answered {status}: {detail}"));
    failure.with("answer", answer.clone()).into()
}
