//! The header fields that carry the numbers, as servers and middleware write them.

use std::borrow::Cow;

/// The limit shown.
pub const LIMIT: &str = "X-RateLimit-Limit";
/// What is left of it.
pub const REMAINING: &str = "X-RateLimit-Remaining";
/// When it is whole again.
pub const RESET: &str = "X-RateLimit-Reset";
/// The standing of the limit shown, in the words of the IETF's draft.
pub const STANDING: &str = "RateLimit";
/// Every limit that was met, in the words of the IETF's draft.
pub const POLICY: &str = "RateLimit-Policy";
/// How long a denied client has to wait.
pub const RETRY_AFTER: &str = "Retry-After";

/// Why the request is allowed or denied.
pub const REASON: &str = "Tollgate-Reason";

/// A limit that was met, as `RateLimit-Policy` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy<'a> {
    /// Its name, which holds neither quotes nor backslashes.
    pub name: Cow<'a, str>,
    /// What it holds.
    pub quota: u64,
    /// The length of its window in microseconds; none for a block, which has no window.
    pub window_us: Option<u64>,
}

/// Appends the value of `RateLimit-Policy`. Windows below a second are left out: the draft counts in seconds.
///
/// ```
/// use tollgate_wire::headers::{Policy, write_policies};
///
/// let policy = |name: &'static str, quota, window_us| Policy { name: name.into(), quota, window_us };
/// let mut out = Vec::new();
/// let policies = [policy("a:s", 5, Some(1_000_000)), policy("a:day", 9, Some(86_400_000_000))];
/// write_policies(policies, &mut out);
/// assert_eq!(String::from_utf8_lossy(&out), r#""a:s";q=5;w=1, "a:day";q=9;w=86400"#);
/// ```
pub fn write_policies<'p>(policies: impl IntoIterator<Item = Policy<'p>>, out: &mut Vec<u8>) {
    for (place, policy) in policies.into_iter().enumerate() {
        if place > 0 {
            out.extend_from_slice(b", ");
        }
        quote(&policy.name, out);
        parameter(b";q=", policy.quota, out);
        if let Some(window @ 1_000_000..) = policy.window_us {
            parameter(b";w=", window / 1_000_000, out);
        }
    }
}

/// Appends the value of `RateLimit`: what is left of a policy, and in how many seconds there is more.
///
/// ```
/// let mut out = Vec::new();
/// tollgate_wire::headers::write_standing("login", 1, Some(60), &mut out);
/// assert_eq!(String::from_utf8_lossy(&out), r#""login";r=1;t=60"#);
/// ```
pub fn write_standing(name: &str, remaining: u64, until_more_s: Option<u64>, out: &mut Vec<u8>) {
    quote(name, out);
    parameter(b";r=", remaining, out);
    if let Some(seconds) = until_more_s {
        parameter(b";t=", seconds, out);
    }
}

fn quote(name: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.push(b'"');
}

fn parameter(name: &[u8], value: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(name);
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}
