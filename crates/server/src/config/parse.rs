//! From texts to values. An error says what is expected.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use tollgate_catalog::NodeId;
use tracing_subscriber::filter::Targets;

use super::{Fields, LogFormat, Penalising, ResetAs};
use crate::authority::Token;

/// What would have been right.
pub(super) type Expected = String;

/// The longest name of a region or a node.
const NAME_CHARS_MAX: usize = NodeId::CHARS_MAX;

/// No wait is longer than this.
const SPAN_MAX: Duration = Duration::from_secs(24 * 60 * 60);

pub(super) fn address(text: &str) -> Result<SocketAddr, Expected> {
    let text =
        text.replacen("localhost:", "127.0.0.1:", usize::from(text.starts_with("localhost:")));
    text.parse().map_err(|_| {
        "expected an address and a port, such as 127.0.0.1:7070, [::1]:7070 or 0.0.0.0:7070"
            .to_owned()
    })
}

pub(super) fn path(text: &str) -> Result<PathBuf, Expected> {
    if text.is_empty() || text.chars().any(char::is_control) {
        return Err("expected a path".to_owned());
    }
    Ok(text.into())
}

pub(super) fn name(text: &str) -> Result<String, Expected> {
    let is_sound = !text.is_empty()
        && text.chars().count() <= NAME_CHARS_MAX
        && !text.chars().any(char::is_control);
    is_sound
        .then(|| text.to_owned())
        .ok_or_else(|| format!("expected a name of 1 to {NAME_CHARS_MAX} characters"))
}

pub(super) fn switch(text: &str) -> Result<bool, Expected> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err("expected true or false".to_owned()),
    }
}

/// A whole number within bounds; `_` may stand between digits.
pub(super) fn count(text: &str, least: usize, most: usize) -> Result<usize, Expected> {
    let number = text.replace('_', "").parse().ok();
    number
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| format!("expected a whole number from {least} to {most}"))
}

/// `500ms`, `10s`, `5min`, `1h`.
pub(super) fn span(text: &str) -> Result<Duration, Expected> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits).unwrap_or_default();
    let unit_ms = match unit.trim() {
        "ms" => Some(1),
        "s" => Some(1_000),
        "min" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    let number: Option<u64> = number.parse().ok();
    let ms = number.zip(unit_ms).and_then(|(number, unit)| number.checked_mul(unit));
    let span = ms.map(Duration::from_millis);
    span.filter(|span| !span.is_zero() && *span <= SPAN_MAX).ok_or_else(|| {
        "expected a span from 1ms to 24h with its unit: ms, s, min or h, such as 500ms or 10s"
            .to_owned()
    })
}

/// `12h`, `7day`, `4week`.
pub(super) fn long_span(text: &str) -> Result<Duration, Expected> {
    const SECONDS_MAX: u64 = 366 * 86_400;
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits).unwrap_or_default();
    let unit_s = match unit {
        "s" => Some(1),
        "min" => Some(60),
        "h" => Some(3_600),
        "day" => Some(86_400),
        "week" => Some(7 * 86_400),
        _ => None,
    };
    let number: Option<u64> = number.parse().ok();
    let seconds = number.zip(unit_s).and_then(|(number, unit)| number.checked_mul(unit));
    let seconds = seconds.filter(|seconds| (1..=SECONDS_MAX).contains(seconds));
    seconds.map(Duration::from_secs).ok_or_else(|| {
        "expected a span from 1s to 366day with its unit: s, min, h, day or week, such as 7day"
            .to_owned()
    })
}

pub(super) fn fields(text: &str) -> Result<Fields, Expected> {
    match text {
        "vendor" => Ok(Fields::Vendor),
        "draft" => Ok(Fields::Draft),
        "both" => Ok(Fields::Both),
        _ => Err("expected vendor, draft or both".to_owned()),
    }
}

pub(super) fn envoy_fields(text: &str) -> Result<Option<Fields>, Expected> {
    match text {
        "none" => Ok(None),
        text => {
            fields(text).map(Some).map_err(|_| "expected none, vendor, draft or both".to_owned())
        }
    }
}

pub(super) fn penalty(text: &str) -> Result<Penalising, Expected> {
    match text {
        "on" => Ok(Penalising::On),
        "off" => Ok(Penalising::Off),
        _ => Err("expected on or off".to_owned()),
    }
}

pub(super) fn reset_as(text: &str) -> Result<ResetAs, Expected> {
    match text {
        "epoch" => Ok(ResetAs::Epoch),
        "seconds" => Ok(ResetAs::Seconds),
        _ => Err("expected epoch or seconds".to_owned()),
    }
}

pub(super) fn log_format(text: &str) -> Result<LogFormat, Expected> {
    match text {
        "text" => Ok(LogFormat::Text),
        "json" => Ok(LogFormat::Json),
        _ => Err("expected text or json".to_owned()),
    }
}

pub(super) fn level(text: &str) -> Result<String, Expected> {
    let is_sound = !text.is_empty() && text.parse::<Targets>().is_ok();
    // A word that is no level is taken for the name of a module, and nothing at all is logged.
    let plain = text.split(',').filter(|part| !part.contains(['=', '[']));
    let levels = ["error", "warn", "info", "debug", "trace", "off"];
    let is_known = |part: &str| levels.iter().any(|level| level.eq_ignore_ascii_case(part.trim()));
    if is_sound && plain.into_iter().all(is_known) {
        return Ok(text.to_owned());
    }
    Err("expected error, warn, info, debug or trace, or a list such as info,tollgate_server=debug"
        .to_owned())
}

pub(super) fn token(text: &str) -> Result<Token, Expected> {
    Token::new(text).ok_or_else(|| {
        format!(
            "expected a token of at least {} characters, all of them letters, digits or signs without \
             blanks; `openssl rand -hex 32` makes one",
            Token::CHARS_MIN
        )
    })
}
