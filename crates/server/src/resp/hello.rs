//! `HELLO [version [AUTH name token] [SETNAME name]]` and `AUTH [name] token`.

use std::str;

use tollgate_wire::resp::{Command, Encoder, Version};

use super::client::{Client, integer};
use crate::{
    authority::{Actor, Authority, Caller, Door, Permission, Refused},
    record::Tried,
};

/// Whom a client may show a token to, and by which door it came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gatekeeper<'a> {
    pub(super) authority: &'a Authority,
    pub(super) door: Door,
    /// What its certificate calls it.
    pub(super) name: Option<&'a str>,
}

const AUTH: Tried = Tried { action: "auth", command: "AUTH" };

impl Gatekeeper<'_> {
    /// Whether the client may change counters.
    pub(super) fn lets(self, client: &Client, tried: Tried) -> Result<Actor, Refused> {
        let caller = Caller { door: self.door, token: client.token.as_deref(), name: self.name };
        let allowed = self.authority.allows(caller, Permission::Counters);
        if let Err(refused) = &allowed {
            self.authority.turned_away(caller, client.from(), tried, *refused);
        }
        allowed
    }

    /// Remembers a token that is right. The name before it is not looked at: there are no users.
    fn admit(self, client: &mut Client, token: &[u8]) -> Result<(), String> {
        let shown = str::from_utf8(token).ok();
        let caller =
            Caller { door: self.door, token: Some(shown.unwrap_or_default()), name: self.name };
        let shown_by = self.authority.shows(caller);
        if let Err(refused) = &shown_by {
            self.authority.turned_away(caller, client.from(), AUTH, *refused);
        }
        match shown_by {
            Ok(_) => {
                client.token = shown.map(Into::into);
                Ok(())
            }
            Err(Refused::NotConfigured) => {
                Err("ERR AUTH called without any token configured: start the server with a token"
                    .to_owned())
            }
            Err(_) => {
                Err("WRONGPASS invalid username-password pair or user is disabled.".to_owned())
            }
        }
    }
}

/// `AUTH`.
pub(super) fn auth(
    gatekeeper: Gatekeeper<'_>,
    client: &mut Client,
    command: &Command<'_, '_>,
    reply: &mut Encoder<'_>,
) {
    let words = (command.arg(0), command.arg(1), command.args_len());
    let ((Some(token), None, 1) | (Some(_), Some(token), 2)) = words else {
        return reply.error("ERR syntax error");
    };
    match gatekeeper.admit(client, token) {
        Ok(()) => reply.simple("OK"),
        Err(error) => reply.error(&error),
    }
}

/// `HELLO`, whose reply is in the version that was asked for.
pub(super) fn hello(
    gatekeeper: Gatekeeper<'_>,
    client: &mut Client,
    command: &Command<'_, '_>,
    output: &mut Vec<u8>,
) {
    let before = client.version;
    match agree(gatekeeper, client, command) {
        Ok(version) => {
            client.version = version;
            introduce(client, &mut Encoder::new(output, version));
        }
        Err(error) => Encoder::new(output, before).error(&error),
    }
}

fn agree(
    gatekeeper: Gatekeeper<'_>,
    client: &mut Client,
    command: &Command<'_, '_>,
) -> Result<Version, String> {
    let mut words = command.args();
    let version = match words.next() {
        None => client.version,
        Some(b"2") => Version::Two,
        Some(b"3") => Version::Three,
        Some(other) => {
            let number = str::from_utf8(other).ok().map(str::parse::<i64>);
            return Err(match number {
                Some(Ok(_)) => "NOPROTO unsupported protocol version".to_owned(),
                _ => "ERR Protocol version is not an integer or out of range".to_owned(),
            });
        }
    };
    while let Some(option) = words.next() {
        if option.eq_ignore_ascii_case(b"AUTH")
            && let (Some(_name), Some(token)) = (words.next(), words.next())
        {
            gatekeeper.admit(client, token)?;
        } else if option.eq_ignore_ascii_case(b"SETNAME")
            && let Some(name) = words.next()
        {
            client.set_name(name)?;
        } else {
            let option = String::from_utf8_lossy(option.get(..64).unwrap_or(option));
            return Err(format!("ERR Syntax error in HELLO option '{option}'"));
        }
    }
    Ok(version)
}

fn introduce(client: &Client, reply: &mut Encoder<'_>) {
    let version = match client.version {
        Version::Two => 2,
        Version::Three => 3,
    };
    reply.map(7);
    for (name, text) in [("server", "tollgate"), ("version", env!("CARGO_PKG_VERSION"))] {
        reply.bulk(name.as_bytes());
        reply.bulk(text.as_bytes());
    }
    reply.bulk(b"proto");
    reply.integer(version);
    reply.bulk(b"id");
    reply.integer(integer(client.id));
    for (name, text) in [("mode", "standalone"), ("role", "master")] {
        reply.bulk(name.as_bytes());
        reply.bulk(text.as_bytes());
    }
    reply.bulk(b"modules");
    reply.array(0);
}
