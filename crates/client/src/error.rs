//! Why there is no answer.

use std::fmt;

/// Whose fault it is that there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// The question is wrong: a fact too long, an unknown scope, no fact at all.
    Question,
    /// The credentials in the question are: an API key or a token that is unknown, expired or revoked. Whoever
    /// sent them is to be told 401.
    Credentials,
    /// This caller is not trusted to ask so: give it a token.
    Trust,
    /// The server answered, but not with a decision: an error of its own, or nothing that can be read.
    Server,
    /// The server could not be reached in time.
    Network,
    /// Too much is under way here already.
    Busy,
}

/// There is no answer. [`Client::check`](crate::Client::check) gives one for a question that is wrong, or whose
/// credentials are; whatever the server or the network does, its fallback answers.
///
/// ```
/// use tollgate_client::{Error, Fault};
///
/// let error = Error::new(Fault::Network, "connection refused");
/// assert!(error.is_retryable());
/// assert_eq!(error.to_string(), "no server could be asked: connection refused");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    fault: Fault,
    detail: Box<str>,
}

impl Error {
    /// An error of this kind.
    pub fn new(fault: Fault, detail: impl Into<Box<str>>) -> Self {
        let detail = detail.into();
        Self { fault, detail }
    }

    /// Whose fault it is.
    pub const fn fault(&self) -> Fault {
        self.fault
    }

    /// What is wrong, in words.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// Whether the same question may be answered later. Ask again under a
    /// [`request_id`](crate::Check::request_id), or it may be charged twice.
    pub const fn is_retryable(&self) -> bool {
        matches!(self.fault, Fault::Server | Fault::Network | Fault::Busy)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = match self.fault {
            Fault::Question => "the question is wrong",
            Fault::Credentials => "the credentials are refused",
            Fault::Trust => "this caller is not trusted to ask so",
            Fault::Server => "the server did not decide",
            Fault::Network => "no server could be asked",
            Fault::Busy => "too many calls are under way",
        };
        write!(f, "{whose}: {}", self.detail)
    }
}

impl std::error::Error for Error {}
