//! Limits that an API key or a user has of its own.

use serde_json::{Value, json};
use tollgate_core::{Limit, LimitError, LimitSet, Period, Unit};

use super::{
    call::Call,
    form::{Form, Said},
};
use crate::counting::Counting;

/// Each says in a word what `limits` says in a text.
const SHORT: [(&str, Unit); 4] = [
    ("per_second", Unit::Second),
    ("per_minute", Unit::Minute),
    ("per_hour", Unit::Hour),
    ("per_day", Unit::Day),
];

/// The limits of a body: `limits` as a text or a list of texts, `per_second` and its like, `burst` of the shortest.
pub(super) fn read(call: &Call, form: &mut Form) -> Said<LimitSet> {
    let mut all: Vec<Limit> = Vec::new();
    let mut is_said = false;
    match form.take("limits") {
        Said::Nothing => {}
        Said::None => is_said = true,
        Said::This(value) => {
            is_said = true;
            listed(&value, form, &mut all);
        }
    }
    for (field, unit) in SHORT {
        match form.take(field) {
            Said::Nothing => {}
            Said::None => is_said = true,
            Said::This(value) => {
                is_said = true;
                let limit = value.as_u64().map(|amount| of(amount, unit));
                keep(form, field, limit, &mut all);
            }
        }
    }
    burst(form, &mut all);
    if let Counting::Shared(_) = call.state.engine.counting() {
        for limit in &all {
            if let Err(error) = limit.fits_scripts() {
                form.wrong("limits", format!("{limit}: {error}"));
            }
        }
    }
    if all.is_empty() {
        return if is_said { Said::None } else { Said::Nothing };
    }
    match LimitSet::new(all) {
        Ok(set) => Said::This(set),
        Err(error) => {
            form.wrong("limits", error.to_string());
            Said::None
        }
    }
}

fn listed(value: &Value, form: &mut Form, all: &mut Vec<Limit>) {
    let texts: Option<Vec<&str>> = match value {
        Value::String(text) => Some(text.split(',').map(str::trim).collect()),
        Value::Array(items) => items.iter().map(Value::as_str).collect(),
        _ => None,
    };
    let Some(texts) = texts else {
        form.wrong("limits", "must be limits such as \"10/s, 1000/day\", or a list of them");
        return;
    };
    for text in texts.into_iter().take(Limit::PER_KEY_MAX.saturating_add(1)) {
        match text.parse() {
            Ok(limit) => all.push(limit),
            Err(error) => form.wrong("limits", error.to_string()),
        }
    }
}

fn of(amount: u64, unit: Unit) -> Result<Limit, LimitError> {
    Limit::new(amount, Period::new(1, unit)?)
}

fn keep(
    form: &mut Form,
    field: &str,
    limit: Option<Result<Limit, LimitError>>,
    all: &mut Vec<Limit>,
) {
    match limit {
        Some(Ok(limit)) => all.push(limit),
        Some(Err(error)) => form.wrong(field, error.to_string()),
        None => form.wrong(field, "must be a whole number from 1"),
    }
}

/// A burst belongs to the limit of the shortest period.
fn burst(form: &mut Form, all: &mut [Limit]) {
    let Said::This(burst) = form.count("burst") else {
        return;
    };
    let Some(shortest) = all.iter_mut().min_by_key(|limit| limit.period().length()) else {
        form.wrong("burst", "needs a limit: give limits or per_second, too");
        return;
    };
    match shortest.clone().with_burst(burst) {
        Ok(limit) => *shortest = limit,
        Err(error) => form.wrong("burst", error.to_string()),
    }
}

/// The limits as they were written, and the burst of the shortest.
pub(super) fn shown(limits: Option<&LimitSet>) -> (Value, Value) {
    let texts = limits.map(|limits| limits.iter().map(ToString::to_string).collect::<Vec<_>>());
    let burst = limits.and_then(|limits| limits.iter().find_map(Limit::burst));
    (json!(texts), json!(burst))
}
