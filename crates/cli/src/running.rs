//! A server that runs, asked over HTTP.

use std::{path::PathBuf, time::Duration};

use anyhow::Context as _;
use serde_json::Value;
use tollgate_server::{Outgoing, OutgoingError, Reply, Trust};

use crate::outcome::Failure;

/// How long a server may take.
const DEADLINE: Duration = Duration::from_secs(5);

/// What a server asks for, and how it is known
#[derive(Debug, clap::Args)]
pub(crate) struct Credentials {
    /// A file with the token that the server asks for; without it TOLLGATE_TOKEN
    #[arg(long, value_name = "FILE", env = "TOLLGATE_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// Speak TLS with a server that is signed by those in this file
    #[arg(long, value_name = "FILE")]
    cacert: Option<PathBuf>,
    /// The certificate to show to a server that asks for one
    #[arg(long, value_name = "FILE", requires = "cacert", requires = "key")]
    cert: Option<PathBuf>,
    /// The private key of that certificate
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
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

impl Credentials {
    fn trust(&self) -> anyhow::Result<Option<Trust>> {
        let identity = self.cert.as_deref().zip(self.key.as_deref());
        let trust = self.cacert.as_deref().map(|ca| Trust::new(ca, identity));
        Ok(trust.transpose()?)
    }

    /// `host:port` of what was named, maybe as an address with its scheme.
    fn authority<'a>(&self, named: &'a str) -> anyhow::Result<&'a str> {
        if let Some(authority) = named.strip_prefix("https://") {
            anyhow::ensure!(
                self.cacert.is_some(),
                "{named}: name the file of whoever signed the server's certificate with --cacert FILE"
            );
            return Ok(authority.trim_end_matches('/'));
        }
        let authority = named.strip_prefix("http://").unwrap_or(named);
        Ok(authority.trim_end_matches('/'))
    }
}

/// What a server is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Verb<'a> {
    Get,
    Post(&'a Value),
    /// POST with nothing in it.
    Do,
    Put(&'a Value),
    Delete,
}

/// Where a server has its admin side unless told otherwise.
const ADMIN: &str = "127.0.0.1:7080";

/// Where the server has its admin side: what was typed, the variable, or the usual place.
pub(crate) fn admin(typed: Option<&String>) -> String {
    let variable = || tollgate_server::environment().remove("TOLLGATE_ADMIN");
    let given = typed.cloned().or_else(variable);
    given.unwrap_or_else(|| ADMIN.to_owned())
}

/// Asks, and reads the JSON that comes back, with the status.
pub(crate) fn ask(
    verb: Verb<'_>,
    authority: &str,
    path: &str,
    credentials: &Credentials,
) -> anyhow::Result<(u16, Value)> {
    let (token, trust) = (credentials.token()?, credentials.trust()?);
    let authority = credentials.authority(authority)?;
    let body = match verb {
        Verb::Post(body) | Verb::Put(body) => body.to_string(),
        Verb::Get | Verb::Do | Verb::Delete => String::new(),
    };
    let outgoing =
        Outgoing { authority, path, token: token.as_deref(), body: &body, trust: trust.as_ref() };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let reply = runtime.block_on(async {
        match verb {
            Verb::Get => outgoing.get(DEADLINE).await,
            Verb::Post(_) | Verb::Do => outgoing.post(DEADLINE).await,
            Verb::Put(_) => outgoing.put(DEADLINE).await,
            Verb::Delete => outgoing.delete(DEADLINE).await,
        }
    });
    let reply = reply.map_err(|error| told(error, trust.as_ref()))?;
    Ok((reply.status, json_of(&reply, authority)?))
}

/// A running server
#[derive(Debug, clap::Args)]
pub(crate) struct Server {
    /// Where the running server has its admin side [default: 127.0.0.1:7080] [env: TOLLGATE_ADMIN]
    #[arg(long, value_name = "ADDRESS")]
    admin: Option<String>,
    #[command(flatten)]
    credentials: Credentials,
}

impl Server {
    /// Its status and its answer.
    pub(crate) fn ask(&self, verb: Verb<'_>, path: &str) -> anyhow::Result<(u16, Value)> {
        ask(verb, &admin(self.admin.as_ref()), path, &self.credentials)
    }

    /// Its answer, if all went well.
    pub(crate) fn done(&self, verb: Verb<'_>, path: &str) -> anyhow::Result<Value> {
        match self.ask(verb, path)? {
            (200..300, answer) => Ok(answer),
            (status, answer) => Err(refusal(status, &answer)),
        }
    }
}

/// A path with what varies in its query; what is not given is left out.
pub(crate) fn path(path: &str, query: &[(&str, Option<&str>)]) -> String {
    let given = query.iter().filter_map(|(name, value)| Some((name, (*value)?)));
    let pairs: Vec<String> =
        given.map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    match pairs.as_slice() {
        [] => path.to_owned(),
        pairs => format!("{path}?{}", pairs.join("&")),
    }
}

/// A text as a path or a query carries it.
pub(crate) fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded += &format!("%{byte:02X}");
        }
    }
    encoded
}

fn told(error: OutgoingError, trust: Option<&Trust>) -> anyhow::Error {
    match &error {
        OutgoingError::Connect { authority, .. } if error.is_refused() => Failure::new(format!(
            "no server at {authority}: is `tollgate serve` running?"
        ))
        .into(),
        // A server that speaks TLS hangs up on whoever does not, since it has no words for it.
        OutgoingError::Garbled { .. } if trust.is_none() => Failure::new(format!(
            "{error}; if it speaks TLS, name the file of whoever signed its certificate with --cacert FILE"
        ))
        .into(),
        _ => error.into(),
    }
}

fn json_of(reply: &Reply, authority: &str) -> anyhow::Result<Value> {
    serde_json::from_slice(&reply.body).map_err(|_| {
        let start: String = String::from_utf8_lossy(&reply.body).chars().take(80).collect();
        let status = reply.status;
        Failure::new(format!(
            "{authority} answered {status} without JSON, so it is no Tollgate: {start:?}"
        ))
        .into()
    })
}

/// What an answer that is no answer says is wrong.
pub(crate) fn refusal(status: u16, answer: &Value) -> anyhow::Error {
    let detail = answer.get("detail").or_else(|| answer.get("title")).and_then(Value::as_str);
    let detail = detail.unwrap_or("it does not say why");
    let failure = Failure::new(format!("the server answered {status}: {detail}"));
    failure.with("answer", answer.clone()).into()
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_a_query_cannot_carry_is_encoded() {
        assert_eq!(super::encoded("/a b&c=ä+1%"), "%2Fa%20b%26c%3D%C3%A4%2B1%25");
        assert_eq!(super::encoded("alice-1.x_y~"), "alice-1.x_y~");
        let query = [("a", Some("1 2")), ("b", None), ("c", Some("3"))];
        assert_eq!(super::path("/x", &query), "/x?a=1%202&c=3");
        assert_eq!(super::path("/x", &[]), "/x");
    }
}
