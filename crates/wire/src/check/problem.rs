//! Errors as RFC 9457 has them.

use std::borrow::Cow;

use super::scanner::write_text;
use crate::http1::reason;

/// The type of a denial for want of quota.
pub const QUOTA_EXCEEDED: &str = "https://iana.org/assignments/http-problem-types#quota-exceeded";

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The status of the answer.
    pub status: u16,
    /// What is wrong, and what to do about it.
    pub detail: String,
    /// The class of the reason, where programs tell them apart.
    pub reason: Option<&'static str>,
}

impl Problem {
    /// A problem of this status.
    pub fn new(status: u16, detail: impl Into<String>) -> Self {
        Self { status, detail: detail.into(), reason: None }
    }

    /// With the class of the reason.
    pub const fn because(mut self, reason: &'static str) -> Self {
        self.reason = Some(reason);
        self
    }

    /// Appends it as a JSON object.
    ///
    /// ```
    /// use tollgate_wire::check::Problem;
    ///
    /// let mut out = Vec::new();
    /// Problem::new(404, "no such path").write(&mut out);
    /// assert_eq!(
    ///     String::from_utf8_lossy(&out),
    ///     r#"{"type":"about:blank","title":"Not Found","status":404,"detail":"no such path"}"#
    /// );
    /// ```
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"type\":\"about:blank\",\"title\":");
        write_text(reason(self.status), out);
        out.extend_from_slice(b",\"status\":");
        out.extend_from_slice(itoa::Buffer::new().format(self.status).as_bytes());
        out.extend_from_slice(b",\"detail\":");
        write_text(&self.detail, out);
        if let Some(reason) = self.reason {
            out.extend_from_slice(b",\"reason\":");
            write_text(reason, out);
        }
        out.push(b'}');
    }
}

/// What a quota that is used up is called in the registry of problem types.
const QUOTA_TITLE: &str = "Request cannot be satisfied as assigned quota has been exceeded";

/// Why a request was denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denial {
    /// For want of quota.
    Quota,
    /// By a block, whose answer has this status.
    Block(u16),
}

impl Denial {
    /// Appends the denial as a JSON object: who was violated, and the members that `members` appends.
    ///
    /// ```
    /// use tollgate_wire::check::Denial;
    ///
    /// let mut out = Vec::new();
    /// Denial::Block(403).write(403, ["abusers".into()], |out| out.extend(b"\"limit\":0"), &mut out);
    /// assert_eq!(
    ///     String::from_utf8_lossy(&out),
    ///     r#"{"type":"about:blank","title":"Forbidden","status":403,"violated-policies":["abusers"],"limit":0}"#
    /// );
    /// ```
    pub fn write<'p>(
        self,
        status: u16,
        violated: impl IntoIterator<Item = Cow<'p, str>>,
        members: impl FnOnce(&mut Vec<u8>),
        out: &mut Vec<u8>,
    ) {
        let (kind, title) = match self {
            Self::Quota => (QUOTA_EXCEEDED, QUOTA_TITLE),
            Self::Block(status) => ("about:blank", reason(status)),
        };
        out.extend_from_slice(b"{\"type\":");
        write_text(kind, out);
        out.extend_from_slice(b",\"title\":");
        write_text(title, out);
        out.extend_from_slice(b",\"status\":");
        out.extend_from_slice(itoa::Buffer::new().format(status).as_bytes());
        out.extend_from_slice(b",\"violated-policies\":[");
        for (place, policy) in violated.into_iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            write_text(&policy, out);
        }
        out.extend_from_slice(b"],");
        members(out);
        out.push(b'}');
    }
}
