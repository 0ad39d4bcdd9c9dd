//! `COMMAND`: the commands, as clients and their tools ask for them.

use tollgate_wire::resp::{Command, Encoder};

use super::{client::unknown_subcommand, facts::Verb};

impl Verb {
    const fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Throttle | Self::Check | Self::Decide | Self::Refund | Self::ResetCounters => {
                &["write", "fast"]
            }
            Self::Peek => &["readonly", "fast"],
            Self::Ping | Self::Echo | Self::Select | Self::Caller => &["fast"],
            Self::Hello | Self::Auth | Self::Quit | Self::Reset => &["fast", "no_auth"],
            Self::Client | Self::Command | Self::Info | Self::Config => &["loading", "stale"],
        }
    }

    /// Where its keys are: the first, the last, and how far apart. The fields of `TG.*` are no keys of
    /// Redis.
    const fn keys(self) -> [i64; 3] {
        match self {
            Self::Throttle => [1, 1, 1],
            _ => [0, 0, 0],
        }
    }

    const fn group(self) -> &'static str {
        match self {
            Self::Throttle
            | Self::Check
            | Self::Decide
            | Self::Caller
            | Self::Peek
            | Self::Refund
            | Self::ResetCounters => "module",
            Self::Ping
            | Self::Echo
            | Self::Hello
            | Self::Auth
            | Self::Quit
            | Self::Reset
            | Self::Select
            | Self::Client => "connection",
            Self::Command | Self::Info | Self::Config => "server",
        }
    }

    const fn summary(self) -> &'static str {
        match self {
            Self::Throttle => "Charges a key by the numbers given, as redis-cell does.",
            Self::Check => "Charges a request on every limit it meets, or on none.",
            Self::Decide => "As TG.CHECK, and tells what every limit is.",
            Self::Caller => "Names the caller, and says how many there are.",
            Self::Peek => "Says what a check would answer, and charges nothing.",
            Self::Refund => "Gives cost back to every counter the request would be charged on.",
            Self::ResetCounters => {
                "Makes every counter fresh that the request would be charged on."
            }
            Self::Ping => "Answers PONG, or what it was given.",
            Self::Echo => "Answers what it was given.",
            Self::Hello => "Agrees on a version of the protocol.",
            Self::Auth => "Shows a token.",
            Self::Quit => "Ends the conversation.",
            Self::Reset => "Makes the connection as it was at the start.",
            Self::Select => "Chooses a database; there is only 0.",
            Self::Client => "Says or asks something about the connection.",
            Self::Command => "Lists the commands.",
            Self::Info => "Tells about the server.",
            Self::Config => "Answers what tools ask before they start.",
        }
    }
}

pub(super) fn answer(command: &Command<'_, '_>, reply: &mut Encoder<'_>) {
    let sub = command.arg(0).unwrap_or_default();
    let is = |name: &str| sub.eq_ignore_ascii_case(name.as_bytes());
    let named = || command.args().skip(1).map(Verb::of);
    match command.args_len() {
        0 => {
            reply.array(Verb::ALL.len());
            Verb::ALL.into_iter().for_each(|verb| entry(reply, verb));
        }
        1 if is("COUNT") => reply.integer(i64::try_from(Verb::ALL.len()).unwrap_or(i64::MAX)),
        1 if is("LIST") => {
            reply.array(Verb::ALL.len());
            for verb in Verb::ALL {
                reply.bulk(verb.name().as_bytes());
            }
        }
        1 if is("DOCS") => docs(reply, &Verb::ALL),
        _ if is("DOCS") => docs(reply, &named().flatten().collect::<Vec<_>>()),
        1 if is("INFO") => {
            reply.array(Verb::ALL.len());
            Verb::ALL.into_iter().for_each(|verb| entry(reply, verb));
        }
        _ if is("INFO") => {
            reply.array(command.args_len() - 1);
            named().for_each(|verb| match verb {
                Some(verb) => entry(reply, verb),
                None => reply.null_array(),
            });
        }
        _ => unknown_subcommand(reply, "COMMAND", sub),
    }
}

/// The ten items of Redis 7.
fn entry(reply: &mut Encoder<'_>, verb: Verb) {
    reply.array(10);
    reply.bulk(verb.name().as_bytes());
    reply.integer(verb.arity());
    reply.set(verb.flags().len());
    verb.flags().iter().for_each(|flag| reply.simple(flag));
    verb.keys().into_iter().for_each(|place| reply.integer(place));
    // Categories, tips, key specifications, subcommands.
    reply.set(0);
    reply.array(0);
    reply.array(0);
    reply.array(0);
}

fn docs(reply: &mut Encoder<'_>, verbs: &[Verb]) {
    reply.map(verbs.len());
    for verb in verbs {
        reply.bulk(verb.name().as_bytes());
        reply.map(3);
        for (name, text) in
            [("summary", verb.summary()), ("since", "0.1.0"), ("group", verb.group())]
        {
            reply.bulk(name.as_bytes());
            reply.bulk(text.as_bytes());
        }
    }
}
