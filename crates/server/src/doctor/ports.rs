//! The ports: free, or taken, and by whom.

use std::{net::SocketAddr, time::Duration};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

use super::{Diagnosis, Grade, data};
use crate::{
    config::{Settings, TlsFiles},
    listen::BoundSocket,
    outgoing::Outgoing,
};

/// How long whoever has a port may take to say who it is.
const ANSWER_MAX: Duration = Duration::from_secs(2);
/// The most that is read of what it says over the Redis protocol.
const WORDS_MAX: usize = 512;

/// Whether a Tollgate runs at one of these addresses already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Here {
    /// One answers.
    Running,
    /// None does.
    Nobody,
}

/// Whose port it is.
enum Owner {
    Nobody,
    /// A Tollgate, and what it says is not as it should be.
    Tollgate(Vec<String>),
    /// Somebody who does not say.
    Unknown(String),
    /// Somebody who would say it over TLS only.
    Sealed(String),
}

pub(super) async fn look(settings: &Settings) -> (Vec<Diagnosis>, Here) {
    let (listen, tls) = (settings.listen, &settings.tls);
    let listeners = [
        ("http", listen.http, &tls.http),
        ("grpc", listen.grpc, &tls.grpc),
        ("resp", listen.resp, &tls.resp),
        ("admin", listen.admin, &tls.admin),
    ];
    let mut owners = Vec::with_capacity(listeners.len());
    for (name, address, files) in listeners {
        owners.push((name, address, owner(name, address, files.as_ref()).await));
    }
    let is_here = |(_, _, owner): &(_, _, Owner)| matches!(owner, Owner::Tollgate(_));
    let is_sealed = |(_, _, owner): &(_, _, Owner)| matches!(owner, Owner::Sealed(_));
    // Whoever has both a port that speaks TLS and the folder is the server that is meant.
    let is_meant = || owners.iter().any(is_sealed) && data::is_held(&settings.data);
    let here = if owners.iter().any(is_here) || is_meant() { Here::Running } else { Here::Nobody };
    let mut found = Vec::new();
    for (name, address, owner) in owners {
        tell(name, address, owner, here, &mut found);
    }
    (found, here)
}

fn tell(name: &'static str, at: SocketAddr, owner: Owner, here: Here, found: &mut Vec<Diagnosis>) {
    match (owner, here) {
        (Owner::Nobody, _) if at.port() == 0 => {
            found.push(Diagnosis::fine(name, format!("{at}: any port that is free")));
        }
        (Owner::Nobody, _) => found.push(Diagnosis::fine(name, format!("{at} is free"))),
        (Owner::Tollgate(degraded), _) => {
            found.push(Diagnosis::fine(name, format!("a Tollgate answers at {at}")));
            for text in degraded {
                // Two listeners of one server say the same.
                let is_said = |it: &Diagnosis| it.text.ends_with(&*text);
                if !found.iter().any(is_said) {
                    let text = format!("the Tollgate at {at} says: {text}");
                    found.push(Diagnosis::told(name, Grade::Warning, text));
                }
            }
        }
        // It does not say who it is, and the others of the same server do.
        (Owner::Unknown(_) | Owner::Sealed(_), Here::Running) => {
            let text = format!("{at} is taken, as it seems by the Tollgate that runs here");
            found.push(Diagnosis::fine(name, text));
        }
        (Owner::Unknown(why) | Owner::Sealed(why), Here::Nobody) => {
            found.push(Diagnosis::told(name, Grade::Problem, why));
        }
    }
}

async fn owner(name: &'static str, address: SocketAddr, files: Option<&TlsFiles>) -> Owner {
    let Err(error) = BoundSocket::bind(name, address) else {
        return Owner::Nobody;
    };
    let unknown = Owner::Unknown(error.to_string());
    if !error.is_taken() {
        return unknown;
    }
    if files.is_some() {
        return Owner::Sealed(error.to_string());
    }
    match name {
        "http" | "admin" => asked(address).await.map_or(unknown, Owner::Tollgate),
        "resp" if greeted(address).await => Owner::Tollgate(Vec::new()),
        _ => unknown,
    }
}

/// What a Tollgate says of itself; none if it is no Tollgate.
async fn asked(address: SocketAddr) -> Option<Vec<String>> {
    let outgoing = Outgoing {
        authority: &address.to_string(),
        path: "/readyz",
        token: None,
        body: "",
        trust: None,
    };
    let reply = outgoing.get(ANSWER_MAX).await.ok()?;
    let said: Value = serde_json::from_slice(&reply.body).ok()?;
    said.get("counting").and_then(Value::as_str)?;
    let degraded = said.get("degraded").and_then(Value::as_array)?;
    let warnings = said.get("warnings").and_then(Value::as_array);
    let mut words: Vec<String> = degraded
        .iter()
        .chain(warnings.into_iter().flatten())
        .filter_map(|it| it.as_str().map(str::to_owned))
        .collect();
    if said.get("ready").and_then(Value::as_bool) != Some(true) {
        words.push("nothing can be decided: there are no rules".to_owned());
    }
    Some(words)
}

/// Whether whoever speaks the Redis protocol there calls itself Tollgate.
async fn greeted(address: SocketAddr) -> bool {
    let greeting = async {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(b"*2\r\n$5\r\nHELLO\r\n$1\r\n2\r\n").await?;
        let mut words = [0; WORDS_MAX];
        let count = stream.read(&mut words).await?;
        let words = words.get(..count).unwrap_or_default();
        Ok::<_, std::io::Error>(String::from_utf8_lossy(words).contains("tollgate"))
    };
    matches!(timeout(ANSWER_MAX, greeting).await, Ok(Ok(true)))
}
