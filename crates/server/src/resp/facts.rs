//! Fields and values to the facts of a request.

use std::str;

use tollgate_core::Cost;
use tollgate_rules::{Query, QueryError, nearest};
use tollgate_wire::check::Field;

use crate::{engine::Ask, identity::Stated};

/// What stands before the name of an attribute.
const ATTRIBUTE: &[u8] = b"attributes.";
/// The most characters of somebody's text in an error.
const SHOWN_CHARS_MAX: usize = 64;

/// What was asked.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    pub(super) ask: Ask<'a>,
    /// What it says of whoever asks.
    pub(super) stated: Stated<'a>,
    /// Only the counters of this rule are meant.
    pub(super) rule: Option<&'a str>,
}

/// Reads the words after `TG.CHECK`, `TG.DECIDE`, `TG.PEEK`, `TG.REFUND` or `TG.RESET`. The error says what is wrong
/// with which field.
pub(super) fn read<'a>(
    verb: Verb,
    mut words: impl Iterator<Item = &'a [u8]>,
) -> Result<Asked<'a>, String> {
    let mut given = 0_u16;
    let mut query = Query::new();
    let mut stated = Stated::default();
    let (mut request_id, mut rule) = (None, None);
    while let Some(name) = words.next() {
        let Some(value) = words.next() else {
            return Err(format!("{} has no value", shown(name)));
        };
        let named = Field::of(name).filter(|field| *field != Field::Attributes);
        let Some(field) = named else {
            attribute(verb, &mut query, name, value)?;
            continue;
        };
        if given & field.bit() != 0 {
            return Err(format!("{} is given twice", field.name()));
        }
        given |= field.bit();
        let Ok(value) = str::from_utf8(value) else {
            return Err(format!("{}: not UTF-8", field.name()));
        };
        match field {
            Field::Cost => query.set_cost(cost(value)?),
            Field::Scope => {
                let scope = value.parse().map_err(|error| format!("scope: {error}"))?;
                query.set_scope(scope);
            }
            Field::RequestId if verb.is_check() => request_id = id(value)?,
            Field::Rule if !verb.is_check() => rule = Some(value),
            Field::RequestId | Field::Rule => return Err(misplaced(verb, field)),
            Field::Token => stated.token = Some(value),
            _ => {
                noted(&mut stated, field, value);
                fact(&mut query, field, value)?;
            }
        }
    }
    if !query.has_facts() && stated.token.is_none() {
        return Err(
            "no facts: give at least one of user_id, org_id, api_key, token, ip, tier, endpoint, method, \
             region or attributes.NAME"
                .to_owned(),
        );
    }
    if verb == Verb::Refund && given & Field::Cost.bit() == 0 {
        return Err("cost: a refund says how much it gives back".to_owned());
    }
    if verb == Verb::Decide {
        query.tell_in_full();
    }
    let ask = Ask { request_id, ..Ask::new(query) };
    Ok(Asked { ask, stated, rule })
}

/// What is said of whoever asks.
#[inline]
const fn noted<'a>(stated: &mut Stated<'a>, field: Field, value: &'a str) {
    match field {
        Field::UserId => stated.user = Some(value),
        Field::OrgId => stated.org = Some(value),
        Field::ApiKey => stated.api_key = Some(value),
        Field::Tier => stated.tier = Some(value),
        Field::Ip => stated.ip = Some(value),
        _ => {}
    }
}

#[inline]
fn fact<'a>(query: &mut Query<'a>, field: Field, value: &'a str) -> Result<(), String> {
    let set = match field {
        Field::UserId => query.set_user(value),
        Field::OrgId => query.set_org(value),
        Field::ApiKey => query.set_api_key(value),
        Field::Ip => query.set_ip(value),
        Field::Tier => query.set_tier(value),
        Field::Endpoint => query.set_endpoint(value),
        Field::Method => query.set_method(value),
        Field::Region => query.set_region(value),
        Field::Token
        | Field::Attributes
        | Field::Cost
        | Field::Scope
        | Field::RequestId
        | Field::Rule => Ok(()),
    };
    set.map_err(|error| match error {
        // The rules call some facts by shorter names.
        QueryError::Identifier { error, .. } => format!("{}: {error}", field.name()),
        other => other.to_string(),
    })
}

fn attribute<'a>(
    verb: Verb,
    query: &mut Query<'a>,
    field: &'a [u8],
    value: &'a [u8],
) -> Result<(), String> {
    let Some(name) = field.strip_prefix(ATTRIBUTE).filter(|name| !name.is_empty()) else {
        return Err(unknown(verb, field));
    };
    let (Ok(name), Ok(value)) = (str::from_utf8(name), str::from_utf8(value)) else {
        return Err(format!("{}: not UTF-8", shown(field)));
    };
    query.add_attribute(name, value).map_err(|error| error.to_string())
}

fn cost(text: &str) -> Result<Cost, String> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let units = text.parse().ok().filter(|_| is_plain);
    units.map(Cost::new).ok_or_else(|| {
        let text = shown(text.as_bytes());
        format!("cost: {text} is not a whole number from 0 to {}", u64::MAX)
    })
}

fn id(text: &str) -> Result<Option<&str>, String> {
    let max = Ask::REQUEST_ID_BYTES_MAX;
    if text.len() > max {
        return Err(format!("request_id: more than {max} bytes"));
    }
    Ok(Some(text).filter(|text| !text.is_empty()))
}

fn misplaced(verb: Verb, field: Field) -> String {
    let (command, field) = (verb.name().to_ascii_uppercase(), field.name());
    format!("{field}: {command} does not take it")
}

fn unknown(verb: Verb, field: &[u8]) -> String {
    let text = String::from_utf8_lossy(field);
    let command = verb.name().to_ascii_uppercase();
    let unknown = format!("{command} knows no field {}", shown(field));
    // `user` for `user_id` is too far off for a slip of the finger, and just as common.
    let begins = |name: &&str| text.len() > 1 && name.starts_with(&*text);
    let meant = nearest(&text, names()).or_else(|| names().find(begins));
    match meant {
        Some("attributes.") => format!("{unknown}: did you mean attributes.NAME?"),
        Some(meant) => format!("{unknown}: did you mean {meant}?"),
        None => unknown,
    }
}

/// Every name, and how attributes begin.
fn names() -> impl Iterator<Item = &'static str> {
    Field::ALL.into_iter().map(|field| match field {
        Field::Attributes => "attributes.",
        field => field.name(),
    })
}

/// Somebody's text in quotes, cut short.
fn shown(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let short: String = text.chars().take(SHOWN_CHARS_MAX).collect();
    format!("{short:?}")
}

/// Every command there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Verb {
    /// `CL.THROTTLE`.
    Throttle,
    /// `TG.CHECK`.
    Check,
    /// `TG.DECIDE`.
    Decide,
    /// `TG.CALLER`.
    Caller,
    /// `TG.PEEK`.
    Peek,
    /// `TG.REFUND`.
    Refund,
    /// `TG.RESET`.
    ResetCounters,
    /// `PING`.
    Ping,
    /// `ECHO`.
    Echo,
    /// `HELLO`.
    Hello,
    /// `AUTH`.
    Auth,
    /// `QUIT`.
    Quit,
    /// `RESET`.
    Reset,
    /// `SELECT`.
    Select,
    /// `CLIENT`.
    Client,
    /// `COMMAND`.
    Command,
    /// `INFO`.
    Info,
    /// `CONFIG`.
    Config,
}

impl Verb {
    /// Every command, those asked most often first.
    pub(super) const ALL: [Self; 18] = [
        Self::Throttle,
        Self::Check,
        Self::Decide,
        Self::Caller,
        Self::Peek,
        Self::Refund,
        Self::ResetCounters,
        Self::Ping,
        Self::Echo,
        Self::Hello,
        Self::Auth,
        Self::Quit,
        Self::Reset,
        Self::Select,
        Self::Client,
        Self::Command,
        Self::Info,
        Self::Config,
    ];

    /// The command of this name, in letters of any case.
    #[inline]
    pub(super) fn of(name: &[u8]) -> Option<Self> {
        // The two that are asked thousands of times in a row.
        if name.eq_ignore_ascii_case(b"TG.CHECK") {
            return Some(Self::Check);
        }
        if name.eq_ignore_ascii_case(b"CL.THROTTLE") {
            return Some(Self::Throttle);
        }
        let is_it = |verb: &Self| name.eq_ignore_ascii_case(verb.name().as_bytes());
        Self::ALL.into_iter().find(is_it)
    }

    /// Its name, as Redis lists names.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Throttle => "cl.throttle",
            Self::Check => "tg.check",
            Self::Decide => "tg.decide",
            Self::Caller => "tg.caller",
            Self::Peek => "tg.peek",
            Self::Refund => "tg.refund",
            Self::ResetCounters => "tg.reset",
            Self::Ping => "ping",
            Self::Echo => "echo",
            Self::Hello => "hello",
            Self::Auth => "auth",
            Self::Quit => "quit",
            Self::Reset => "reset",
            Self::Select => "select",
            Self::Client => "client",
            Self::Command => "command",
            Self::Info => "info",
            Self::Config => "config",
        }
    }

    /// How many words it takes, its name among them; below zero: so many or more.
    pub(super) const fn arity(self) -> i64 {
        match self {
            Self::Ping
            | Self::Hello
            | Self::Quit
            | Self::Command
            | Self::Info
            // It tells its usage itself, as redis-cell does.
            | Self::Throttle => -1,
            Self::Auth | Self::Client | Self::Config => -2,
            Self::Check | Self::Decide | Self::Peek | Self::Refund | Self::ResetCounters => -3,
            Self::Reset => 1,
            Self::Echo | Self::Select | Self::Caller => 2,
        }
    }

    /// Whether it charges a request by the rules.
    pub(super) const fn is_check(self) -> bool {
        matches!(self, Self::Check | Self::Decide)
    }

    /// Whether it takes so many words after its name.
    pub(super) fn takes(self, args: usize) -> bool {
        let words = i64::try_from(args).unwrap_or(i64::MAX).saturating_add(1);
        match self.arity() {
            exact @ 0.. => words == exact,
            least => words >= -least,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_found_by_its_name_in_any_case() {
        for verb in Verb::ALL {
            assert_eq!(Verb::of(verb.name().as_bytes()), Some(verb));
            assert_eq!(Verb::of(verb.name().to_uppercase().as_bytes()), Some(verb));
        }
        assert_eq!(Verb::of(b"Tg.ChEcK"), Some(Verb::Check));
        assert_eq!(Verb::of(b"get"), None);
        assert_eq!(Verb::of(b""), None);
    }
}
