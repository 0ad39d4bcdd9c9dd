//! What is answered.

use super::scanner::write_text;

/// The answer to a check, without the limits that were met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckAnswer<'a> {
    /// Whether the request may pass.
    pub allowed: bool,
    /// The limit shown; none if nothing matched.
    pub limit: Option<u64>,
    /// What is left of it.
    pub remaining: Option<u64>,
    /// When it is whole again, in seconds since 1970.
    pub reset: Option<u64>,
    /// How long a denied client has to wait; none where waiting never helps.
    pub wait: Option<Wait>,
    /// How often the client was denied of late, if anybody counts.
    pub rejections: Option<u64>,
    /// How long an admitted client has to wait before it goes on.
    pub delay_ms: u64,
    /// How near to a limit it came, unless it is far from all.
    pub band: Option<&'a str>,
    /// The rule that decided.
    pub rule: Option<&'a str>,
    /// Why the request is allowed or denied, in one word.
    pub reason: &'a str,
    /// What the rule has to say.
    pub message: Option<&'a str>,
    /// The failure policy that decided, if the counters could not be asked in time.
    pub fallback: Option<&'a str>,
    /// The revision of the rules, if there are any.
    pub revision: Option<u64>,
    /// The name of the decision, if it has one.
    pub decision_id: Option<&'a str>,
    /// What the client should be answered with, for a caller that has named itself.
    pub status: Option<u16>,
}

/// How long to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The seconds to show.
    pub seconds: u64,
    /// The exact wait.
    pub millis: u64,
}

/// One limit that was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitAnswer<'a> {
    /// Whose it is.
    pub rule: &'a str,
    /// What it holds.
    pub limit: u64,
    /// The length of its window in microseconds.
    pub window_us: u64,
    /// What is left.
    pub remaining: u64,
    /// When it is whole again, in seconds since 1970.
    pub reset: u64,
    /// What it is, for a caller that has named itself.
    pub told: Option<Box<ToldAnswer<'a>>>,
}

/// A limit in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldAnswer<'a> {
    /// How long until it is whole again: whoever asks may have another date.
    pub reset_ms: u64,
    /// Amount and period: `10/s`.
    pub per: String,
    /// How it is counted.
    pub algorithm: &'a str,
    /// Its burst, if it has one.
    pub burst: Option<u64>,
    /// The facts it counts by.
    pub key: &'a [String],
    /// Whether an override put it in the place of the rule's.
    pub is_overridden: bool,
    /// How much a request weighs under it, times what the caller says: `10`, `attributes.bytes / 1024`.
    pub cost: Option<String>,
}

/// What an answer with one limit takes, roughly.
const ANSWER_BYTES_LIKELY: usize = 344;

impl CheckAnswer<'_> {
    /// Appends the answer as a JSON object.
    pub fn write<'l>(&self, limits: impl Iterator<Item = LimitAnswer<'l>>, out: &mut Vec<u8>) {
        out.reserve(ANSWER_BYTES_LIKELY);
        out.push(b'{');
        self.write_members(limits, out);
        out.push(b'}');
    }

    /// Appends the members only, for an object that has others.
    pub fn write_members<'l>(
        &self,
        limits: impl Iterator<Item = LimitAnswer<'l>>,
        out: &mut Vec<u8>,
    ) {
        out.extend_from_slice(if self.allowed {
            b"\"allowed\":true,\"limit\":"
        } else {
            b"\"allowed\":false,\"limit\":"
        });
        maybe(self.limit, out);
        out.extend_from_slice(b",\"remaining\":");
        maybe(self.remaining, out);
        out.extend_from_slice(b",\"reset\":");
        maybe(self.reset, out);
        if let Some(wait) = self.wait {
            out.extend_from_slice(b",\"retry_after\":");
            number(wait.seconds, out);
            out.extend_from_slice(b",\"retry_after_ms\":");
            number(wait.millis, out);
        }
        number_if(b",\"rejection_count\":", self.rejections, out);
        if self.delay_ms > 0 {
            out.extend_from_slice(b",\"delay_ms\":");
            number(self.delay_ms, out);
        }
        text_if(b",\"band\":", self.band, out);
        out.extend_from_slice(b",\"rule\":");
        match self.rule {
            Some(rule) => write_text(rule, out),
            None => out.extend_from_slice(b"null"),
        }
        out.extend_from_slice(b",\"reason\":");
        write_text(self.reason, out);
        text_if(b",\"message\":", self.message, out);
        text_if(b",\"fallback\":", self.fallback, out);
        number_if(b",\"revision\":", self.revision, out);
        text_if(b",\"decision_id\":", self.decision_id, out);
        number_if(b",\"status\":", self.status.map(u64::from), out);
        out.extend_from_slice(b",\"limits\":[");
        for (place, limit) in limits.enumerate() {
            if place > 0 {
                out.push(b',');
            }
            limit.write(out);
        }
        out.push(b']');
    }
}

impl LimitAnswer<'_> {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"rule\":");
        write_text(self.rule, out);
        out.extend_from_slice(b",\"limit\":");
        number(self.limit, out);
        out.extend_from_slice(b",\"window_s\":");
        seconds(self.window_us, out);
        out.extend_from_slice(b",\"remaining\":");
        number(self.remaining, out);
        out.extend_from_slice(b",\"reset\":");
        number(self.reset, out);
        if let Some(told) = &self.told {
            told.write_members(out);
        }
        out.push(b'}');
    }
}

impl ToldAnswer<'_> {
    fn write_members(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b",\"reset_ms\":");
        number(self.reset_ms, out);
        out.extend_from_slice(b",\"per\":");
        write_text(&self.per, out);
        out.extend_from_slice(b",\"algorithm\":");
        write_text(self.algorithm, out);
        number_if(b",\"burst\":", self.burst, out);
        out.extend_from_slice(b",\"key\":[");
        for (place, field) in self.key.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            write_text(field, out);
        }
        out.push(b']');
        if self.is_overridden {
            out.extend_from_slice(b",\"overridden\":true");
        }
        text_if(b",\"cost\":", self.cost.as_deref(), out);
    }
}

fn number(value: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// A member, if there is something to say.
#[inline]
fn number_if(name: &[u8], value: Option<u64>, out: &mut Vec<u8>) {
    if let Some(value) = value {
        out.extend_from_slice(name);
        number(value, out);
    }
}

/// As [`number_if`], for a text.
#[inline]
fn text_if(name: &[u8], text: Option<&str>, out: &mut Vec<u8>) {
    if let Some(text) = text {
        out.extend_from_slice(name);
        write_text(text, out);
    }
}

fn maybe(value: Option<u64>, out: &mut Vec<u8>) {
    match value {
        Some(value) => number(value, out),
        None => out.extend_from_slice(b"null"),
    }
}

/// Seconds with as many decimals as needed: `60`, `0.5`.
fn seconds(micros: u64, out: &mut Vec<u8>) {
    number(micros / 1_000_000, out);
    let mut rest = micros % 1_000_000;
    if rest > 0 {
        out.push(b'.');
    }
    let mut unit = 100_000;
    while rest > 0 {
        number(rest / unit, out);
        rest %= unit;
        unit /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_the_decimals_they_need() {
        for (micros, text) in [
            (60_000_000, "60"),
            (500_000, "0.5"),
            (1_500_000, "1.5"),
            (1, "0.000001"),
            (10_250_000, "10.25"),
            (86_400_000_000, "86400"),
        ] {
            let mut out = Vec::new();
            seconds(micros, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), text);
        }
    }
}
