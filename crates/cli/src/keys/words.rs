//! Counters in words.

use serde_json::Value;

use crate::when;

/// All counters of an answer.
pub(super) fn counters(answer: &Value) -> &[Value] {
    let counters = answer.get("counters").and_then(Value::as_array);
    counters.map_or(&[], Vec::as_slice)
}

/// What a look at counters found.
pub(super) fn shown(answer: &Value) -> String {
    let mut words = String::new();
    let now_s = when::now().as_micros() / 1_000_000;
    for counter in counters(answer) {
        words += &format!("{}\n", one(counter, now_s));
    }
    let is_blocked = answer.get("blocked").and_then(Value::as_bool) == Some(true);
    if is_blocked {
        let rule = text(answer, "rule");
        words += &format!("{rule} denies every request with these facts: nothing is counted\n");
    } else if words.is_empty() {
        return "no rule counts a request with these facts: `tollgate explain` says why\n"
            .to_owned();
    }
    words + &fallback(answer) + text(answer, "consistency")
}

/// What a reset did.
pub(super) fn reset(answer: &Value) -> String {
    let all = counters(answer);
    if all.is_empty() {
        return "nothing was reset: no rule counts a request with these facts; `tollgate explain` says why\n"
            .to_owned();
    }
    let mut words = String::new();
    for counter in all {
        let (limit, period) = (number(counter, "limit"), text(counter, "period"));
        let left = number(counter, "remaining");
        let (name, counted) = (name(counter), text(counter, "counted"));
        words += &format!("reset {name}: {left} of {limit} per {period} left, counted {counted}\n");
    }
    words + &fallback(answer)
}

/// `login [user=alice]: 3 of 5 per min used, 2 left, resets in 41 s, counted on this node alone`
fn one(counter: &Value, now_s: u64) -> String {
    let (limit, left) = (number(counter, "limit"), number(counter, "remaining"));
    let used = limit.saturating_sub(left);
    let resets = match number(counter, "reset").saturating_sub(now_s) {
        0 => "fresh".to_owned(),
        seconds => format!("resets in {}", span(seconds)),
    };
    let is_overridden = counter.get("overridden").and_then(Value::as_bool) == Some(true);
    let by = if is_overridden { " (by override)" } else { "" };
    let mut words = format!(
        "{}: {used} of {limit} per {}{by} used, {left} left, {resets}, counted {}",
        name(counter),
        text(counter, "period"),
        text(counter, "counted"),
    );
    if counter.get("allowed").and_then(Value::as_bool) == Some(false) {
        words += "; the next request is denied";
        let wait = counter.get("retry_after").and_then(Value::as_u64);
        words += &wait.map_or_else(String::new, |wait| format!(" for {}", span(wait)));
    }
    words
}

/// `login [user=alice]`
fn name(counter: &Value) -> String {
    format!("{} [{}]", text(counter, "rule"), text(counter, "key"))
}

/// Who answered, if it was no counter.
fn fallback(answer: &Value) -> String {
    match answer.get("fallback").and_then(Value::as_str) {
        Some(policy) => format!(
            "Redis did not answer, or the counters are too full: these are the numbers of on_failure: {policy}; \
             `tollgate doctor` says what is wrong with Redis\n"
        ),
        None => String::new(),
    }
}

/// Seconds as people say them, never less than there are.
fn span(seconds: u64) -> String {
    const MINUTE: u64 = 60;
    const HOUR: u64 = 60 * MINUTE;
    const DAY: u64 = 24 * HOUR;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds.div_ceil(MINUTE)),
        7_200..172_800 => format!("{} h", seconds.div_ceil(HOUR)),
        _ => format!("{} days", seconds.div_ceil(DAY)),
    }
}

fn text<'a>(of: &'a Value, name: &str) -> &'a str {
    of.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn number(of: &Value, name: &str) -> u64 {
    of.get(name).and_then(Value::as_u64).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn spans_are_told_in_units_that_fit() {
        let told = [1, 119, 120, 3_601, 86_000, 172_801].map(super::span);
        assert_eq!(told, ["1 s", "119 s", "2 min", "61 min", "24 h", "3 days"]);
    }
}
