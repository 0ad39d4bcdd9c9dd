//! The one place where a secret in clear is turned away: whatever a handler gets may be stored, told back or logged.

use std::borrow::Cow;

use axum::http::{HeaderMap, StatusCode};
use serde_json::{Map, Value};

use super::problem::Problem;
use crate::identity::secret::{Kind, Secret};

/// The header fields whose text goes on record.
const FIELDS: [&str; 3] = ["tollgate-author", "tollgate-reason", "x-request-id"];
/// How long a secret is.
const SECRET_BYTES: usize = 42;

/// Refuses a request that holds a key or a token in its path, its query, its body or a header field that goes on record.
pub(super) fn refuse_secrets<'t>(
    mut texts: impl Iterator<Item = &'t str>,
    headers: &HeaderMap,
    body: &str,
) -> Result<(), Problem> {
    let in_field = |name: &str| {
        let mut values = headers.get_all(name).iter();
        values.any(|value| holds_secret(&String::from_utf8_lossy(value.as_bytes())))
    };
    let place = if texts.any(holds_secret) {
        "the path or the query"
    } else if holds_secret(&plain(body)) {
        "the body"
    } else if let Some(name) = FIELDS.into_iter().find(|name| in_field(name)) {
        name
    } else {
        return Ok(());
    };
    let detail = format!(
        "{place} holds an API key or a token in clear, which is kept nowhere: name it by its id, such as k17 or t19; \
         whoever has seen the request has it, so rotate or revoke it"
    );
    Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "secret-in-clear", detail))
}

/// The body without its member `token`, for a route that reads what a client would show and keeps nothing of it.
pub(super) fn without_token(body: &str) -> Cow<'_, str> {
    let Ok(mut members) = serde_json::from_str::<Map<String, Value>>(body) else {
        return Cow::Borrowed(body);
    };
    match members.remove("token") {
        Some(_) => Cow::Owned(Value::Object(members).to_string()),
        None => Cow::Borrowed(body),
    }
}

/// Whether a text holds a key or a token. Their checksum tells: what only looks like one is none.
pub(super) fn holds_secret(text: &str) -> bool {
    [Kind::ApiKey, Kind::Token].into_iter().any(|kind| {
        let mut places = text.match_indices(kind.prefix());
        places.any(|(at, _)| {
            let secret = text.get(at..at.saturating_add(SECRET_BYTES));
            secret.is_some_and(|secret| Secret::is_sound(kind, secret))
        })
    })
}

/// JSON without its `\u`: each of the letters of a secret can be written so.
fn plain(json: &str) -> Cow<'_, str> {
    const SIGN: &str = "\\u";
    if !json.contains(SIGN) {
        return Cow::Borrowed(json);
    }
    let mut parts = json.split(SIGN);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let read = part.split_at_checked(4).and_then(|(digits, rest)| {
            let letter = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            Some((letter, rest))
        });
        match read {
            Some((letter, rest)) => {
                text.push(letter);
                text.push_str(rest);
            }
            None => text.push_str(part),
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Proves: I2
    #[test]
    fn a_secret_is_found_wherever_it_stands() {
        for kind in [Kind::ApiKey, Kind::Token] {
            let secret = Secret::generate(kind);
            let secret = secret.as_str();
            assert_eq!(secret.len(), SECRET_BYTES);
            for text in [secret.to_owned(), format!("tgk_ tgt_{secret}"), format!("{secret}…")] {
                assert!(holds_secret(&text), "{text}");
            }
            let escaped = format!("\"\\u0074{}\"", &secret[1..]);
            assert!(holds_secret(&plain(&escaped)), "{escaped}");
        }
        for text in ["", "tgk_", "tgk_abc…", "a tgt_ b", &format!("tgk_{}", "0".repeat(38))] {
            assert!(!holds_secret(text), "{text}");
        }
        assert_eq!(plain("\\u00"), "00");
        assert_eq!(plain("a\\u0062c"), "abc");
    }
}
