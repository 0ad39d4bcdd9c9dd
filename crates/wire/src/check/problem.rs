//! Errors as RFC 9457 has them.

use super::text::write_text;
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
        Self {
            status,
            detail: detail.into(),
            reason: None,
        }
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
