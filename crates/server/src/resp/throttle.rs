//! `CL.THROTTLE key max_burst count period [quantity]`, as redis-cell answers it.

use std::str;

use tollgate_memory::Throttle;
use tollgate_wire::resp::{Command, Encoder};

use super::convert;
use crate::engine::Engine;

/// What redis-cell writes before every error of its own.
const CELL_ERROR: &str = "Cell error: Store error:";
const USAGE: &str = "Usage: cl.throttle <key> <max_burst> <count per period> <period> [<quantity>]";

/// The most bytes of somebody's text in an error.
const SHOWN_BYTES_MAX: usize = 128;

pub(super) fn answer(engine: &Engine, command: &Command<'_, '_>, reply: &mut Encoder<'_>) {
    match asked(command) {
        Ok((key, ask)) => match engine.throttle(key, ask) {
            Ok(answer) => convert::throttled(reply, &answer),
            Err(error) => reply.error(&format!("{CELL_ERROR} {error}")),
        },
        Err(error) => reply.error(&format!("{CELL_ERROR} {error}")),
    }
}

fn asked<'d>(command: &Command<'d, '_>) -> Result<(&'d [u8], Throttle), String> {
    let words = (
        command.arg(0),
        command.arg(1),
        command.arg(2),
        command.arg(3),
    );
    let (Some(key), Some(max_burst), Some(count), Some(period)) = words else {
        return Err(USAGE.to_owned());
    };
    if command.args_len() > 5 {
        return Err(USAGE.to_owned());
    }
    let ask = Throttle {
        max_burst: number(max_burst)?,
        count: number(count)?,
        period_s: number(period)?,
        quantity: command.arg(4).map_or(Ok(1), number)?,
    };
    Ok((key, ask))
}

#[inline]
fn number(text: &[u8]) -> Result<i64, String> {
    if let Some(number) = short(text) {
        return Ok(number);
    }
    let number = str::from_utf8(text).ok().and_then(|text| text.parse().ok());
    number.ok_or_else(|| {
        let text = text.get(..SHOWN_BYTES_MAX).unwrap_or(text);
        format!(
            "Couldn't parse as integer: {}",
            String::from_utf8_lossy(text)
        )
    })
}

/// A number of a few digits, which nearly all of them are.
#[inline]
fn short(text: &[u8]) -> Option<i64> {
    if text.is_empty() || text.len() > 9 {
        return None;
    }
    text.iter().try_fold(0_i64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
        Some(number * 10 + digit)
    })
}
