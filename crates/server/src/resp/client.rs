//! Who is on the other side of a connection, and what it says about itself.

use std::{
    str,
    sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed},
};

use tollgate_wire::resp::{Command, Encoder, Version};

use crate::{callers::Registered, identity::Trust, listen::Peer};

/// The longest name of a client or of its library.
const NAME_BYTES_MAX: usize = 256;

static NEXT_ID: AtomicU64 = AtomicU64::new(1);
static CONNECTED: AtomicI64 = AtomicI64::new(0);

/// What a connection has been told.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) id: u64,
    pub(super) version: Version,
    /// The token that it showed and that was right.
    pub(super) token: Option<Box<str>>,
    pub(super) name: Box<str>,
    /// Where it calls from, and what its certificate calls it.
    pub(super) peer: Option<Peer>,
    /// What that is worth.
    pub(super) trust: Trust,
    /// As whom it has named itself, as long as it is here.
    pub(super) registered: Option<Registered>,
    library: Box<str>,
    library_version: Box<str>,
}

impl Client {
    pub(super) fn new(trust: Trust) -> Self {
        CONNECTED.fetch_add(1, Relaxed);
        Self {
            id: NEXT_ID.fetch_add(1, Relaxed),
            version: Version::Two,
            token: None,
            name: Box::default(),
            peer: None,
            trust,
            registered: None,
            library: Box::default(),
            library_version: Box::default(),
        }
    }

    /// Where it calls from.
    pub(super) fn from(&self) -> Option<String> {
        let peer = self.peer.as_ref();
        peer.map(|peer| peer.address.ip().to_string())
    }

    /// How many there are.
    pub(super) fn connected() -> i64 {
        CONNECTED.load(Relaxed)
    }

    /// As it was at the start; its number stays.
    pub(super) fn reset(&mut self) {
        self.version = Version::Two;
        self.token = None;
        self.name = Box::default();
        self.registered = None;
    }

    /// Gives it a name, or says why not.
    pub(super) fn set_name(&mut self, name: &[u8]) -> Result<(), String> {
        self.name = word(name).ok_or_else(|| {
            "ERR Client names cannot contain spaces, newlines or special characters.".to_owned()
        })?;
        Ok(())
    }

    /// `CLIENT …`.
    pub(super) fn answer(&mut self, command: &Command<'_, '_>, reply: &mut Encoder<'_>) {
        let sub = command.arg(0).unwrap_or_default();
        let is = |name: &str| sub.eq_ignore_ascii_case(name.as_bytes());
        match (command.arg(1), command.arg(2), command.args_len()) {
            (None, None, 1) if is("ID") => reply.integer(integer(self.id)),
            (None, None, 1) if is("GETNAME") && self.name.is_empty() => reply.null(),
            (None, None, 1) if is("GETNAME") => reply.bulk(self.name.as_bytes()),
            (None, None, 1) if is("INFO") => reply.bulk(self.line().as_bytes()),
            (None, ..) | (_, None, _) if is("LIST") => reply.bulk(self.line().as_bytes()),
            (Some(name), None, 2) if is("SETNAME") => say(reply, self.set_name(name)),
            (Some(what), Some(text), 3) if is("SETINFO") => say(reply, self.set_info(what, text)),
            // What is asked for is so already: nobody is ever told anything unasked, nor evicted.
            (Some(_), None, 2) if is("NO-EVICT") || is("NO-TOUCH") => reply.simple("OK"),
            _ => unknown_subcommand(reply, "CLIENT", sub),
        }
    }

    fn set_info(&mut self, what: &[u8], text: &[u8]) -> Result<(), String> {
        let field = if what.eq_ignore_ascii_case(b"LIB-NAME") {
            &mut self.library
        } else if what.eq_ignore_ascii_case(b"LIB-VER") {
            &mut self.library_version
        } else {
            let what = String::from_utf8_lossy(what.get(..64).unwrap_or(what));
            return Err(format!("ERR Unrecognized option '{what}'"));
        };
        *field = word(text).ok_or_else(|| {
            let what = String::from_utf8_lossy(what).to_ascii_lowercase();
            format!("ERR {what} cannot contain spaces, newlines or special characters.")
        })?;
        Ok(())
    }

    fn address(&self) -> String {
        let address = self.peer.as_ref().map(|peer| peer.address.to_string());
        address.unwrap_or_else(|| "?".to_owned())
    }

    /// Whom a certificate names, if that can stand in a line of words.
    fn user(&self) -> &str {
        let name = self.peer.as_ref().and_then(|peer| peer.name.as_deref());
        name.filter(|user| word(user.as_bytes()).is_some()).unwrap_or("default")
    }

    /// As Redis describes a client; what is not known here is 0.
    fn line(&self) -> String {
        let version = match self.version {
            Version::Two => 2,
            Version::Three => 3,
        };
        format!(
            "id={} addr={} laddr=? fd=0 name={} age=0 idle=0 flags=N db=0 sub=0 psub=0 ssub=0 \
             multi=-1 qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0 omem=0 \
             tot-mem=0 events=r cmd=client user={} redir=-1 resp={version} lib-name={} \
             lib-ver={}\n",
            self.id,
            self.address(),
            self.name,
            self.user(),
            self.library,
            self.library_version
        )
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        CONNECTED.fetch_sub(1, Relaxed);
    }
}

/// `unknown subcommand`, in the words of Redis.
pub(super) fn unknown_subcommand(reply: &mut Encoder<'_>, command: &str, sub: &[u8]) {
    let sub = String::from_utf8_lossy(sub.get(..128).unwrap_or(sub));
    reply.error(&format!("ERR unknown subcommand '{sub}'. Try {command} HELP."));
}

pub(super) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn say(reply: &mut Encoder<'_>, done: Result<(), String>) {
    match done {
        Ok(()) => reply.simple("OK"),
        Err(error) => reply.error(&error),
    }
}

/// A name that can stand in a line of `CLIENT INFO`.
fn word(text: &[u8]) -> Option<Box<str>> {
    let is_plain = text.len() <= NAME_BYTES_MAX && text.iter().all(u8::is_ascii_graphic);
    str::from_utf8(text).ok().filter(|_| is_plain).map(Into::into)
}
