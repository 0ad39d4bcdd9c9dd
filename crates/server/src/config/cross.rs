//! What is wrong with values that are each right alone.

use std::{fs, io::Read as _, net::SocketAddr};

use super::{AdminAuth, Administrators, Approvals, Owner, Settings, build::Reader, parse};
use crate::authority::Token;

/// The longest file with a token.
const TOKEN_BYTES_MAX: u64 = 4_096;

/// The token, from the file or the environment: whichever source wins over the other.
pub(super) fn token(reader: &mut Reader) -> Option<Token> {
    let (direct, by_file) = (reader.origin("token"), reader.origin("token_file"));
    if direct.rank() > 0 && direct.rank() == by_file.rank() {
        let both = format!("both {direct} and {by_file} are set: keep one of them");
        reader.note("token_file", both);
        return None;
    }
    if direct.rank() > by_file.rank() {
        return reader.optional("token", parse::token);
    }
    reader.optional("token_file", |path| {
        let mut text = String::new();
        let read = fs::File::open(path)
            .and_then(|file| file.take(TOKEN_BYTES_MAX).read_to_string(&mut text));
        read.map_err(|error| format!("cannot read the token: {error}"))?;
        parse::token(text.trim())
    })
}

/// Notes what does not go together.
pub(super) fn check(settings: &Settings, reader: &mut Reader) {
    let admin = settings.listen.admin;
    let has_administrators = settings.tls.administrators == Administrators::OfTheirOwnCa;
    let is_required = settings.admin_rules.auth == AdminAuth::Required;
    let is_guarded = settings.token.is_some() || has_administrators || is_required;
    if !admin.ip().is_loopback() && !is_guarded {
        reader.note(
            "admin",
            format!(
                "admin is {admin}, which others can reach, and there is no token: set one with \
                 --token-file FILE or TOLLGATE_TOKEN, ask clients for certificates with \
                 --admin-tls-client-ca FILE (tls_client_ca does not count: it is for everybody who may \
                 ask for decisions), ask for tokens that were issued with --admin-auth required, or listen \
                 on 127.0.0.1:{}",
                admin.port()
            ),
        );
    }
    if let (Owner::File(path), false) = (&settings.owner, settings.database.is_sqlite()) {
        reader.note(
            "rules",
            format!(
                "rules cannot be owned by a file while they live in PostgreSQL, where several nodes \
                 share them: leave it out and run `tollgate rules apply {}`",
                path.display()
            ),
        );
    }
    if settings.admin_rules.approvals == Approvals::On && !is_required {
        reader.note(
            "approvals",
            "approvals is on, and on this machine nobody has to say who they are, so that one admin could \
             approve what they asked for themselves: ask everybody for a token with --admin-auth required, \
             or leave approvals off"
                .to_owned(),
        );
    }
    unfinished(settings, reader);
    same_address(settings, reader);
}

/// A body in chunks is kept twice while it grows, with as much in reserve, and what is read of it besides.
const BODY_TIMES: usize = 5;

fn unfinished(settings: &Settings, reader: &mut Reader) {
    let timers = &settings.timers;
    let (body, all) = (timers.body_bytes_max, timers.unfinished_bytes_max);
    let least = body.saturating_mul(BODY_TIMES);
    if all < least {
        reader.note(
            "unfinished_bytes_max",
            format!(
                "unfinished_bytes_max is {all} and body_bytes_max is {body}, so that a request of that length could never arrive: \
                 set unfinished_bytes_max to {least} or more"
            ),
        );
    }
}

fn same_address(settings: &Settings, reader: &mut Reader) {
    let listen = settings.listen;
    let all = [
        ("http", listen.http),
        ("grpc", listen.grpc),
        ("resp", listen.resp),
        ("admin", listen.admin),
    ];
    for (place, (name, address)) in all.iter().enumerate() {
        let mut before = all.iter().take(place);
        if let Some((other, _)) = before.find(|(_, other)| collide(*address, *other)) {
            let message =
                format!("{name} and {other} are both {address}: give each a port of its own");
            // Whichever was set is the one to change.
            let by_default = reader.origin(name).rank() == 0;
            reader.note(if by_default { other } else { name }, message);
        }
    }
}

/// Port 0 is any that is free.
fn collide(one: SocketAddr, other: SocketAddr) -> bool {
    one.port() == other.port() && one.port() != 0 && one.ip() == other.ip()
}
