//! In which header proxies name their client.

use std::{fmt, str::FromStr, sync::Arc};

/// The one header in which the proxies in front of a server name their client.
///
/// ```
/// use tollgate_wire::forwarded::ProxyHeader;
///
/// assert_eq!("Forwarded".parse(), Ok(ProxyHeader::Forwarded));
/// assert_eq!("CF-Connecting-IP".parse::<ProxyHeader>()?.name(), "cf-connecting-ip");
/// # Ok::<(), tollgate_wire::forwarded::ProxyHeaderError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum ProxyHeader {
    /// `X-Forwarded-For`: a list, to which each proxy adds the address that called it.
    #[default]
    XForwardedFor,
    /// `Forwarded`, as RFC 7239 has it: the same in other words.
    Forwarded,
    /// Another one, which holds one address: `X-Real-IP`, `CF-Connecting-IP`, `True-Client-IP`. The proxies must
    /// replace what a client wrote into it.
    Single(SingleHeader),
}

/// The name of a header that holds one address: see [`ProxyHeader::Single`].
///
/// ```
/// use tollgate_wire::forwarded::ProxyHeader;
///
/// let Ok(ProxyHeader::Single(header)) = "X-Real-IP".parse() else { panic!() };
/// assert_eq!(header.name(), "x-real-ip");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SingleHeader(Arc<str>);

impl SingleHeader {
    /// In lower case.
    pub fn name(&self) -> &str {
        &self.0
    }
}

/// Why a text is not the name of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected the name of the header in which your proxies write the client's address: x-forwarded-for, forwarded, \
     x-real-ip, cf-connecting-ip, true-client-ip or another of at most {} letters, digits and -",
    ProxyHeader::NAME_BYTES_MAX
)]
pub struct ProxyHeaderError;

impl ProxyHeader {
    /// The longest name.
    pub const NAME_BYTES_MAX: usize = 64;

    /// Its name, in lower case.
    pub fn name(&self) -> &str {
        match self {
            Self::XForwardedFor => "x-forwarded-for",
            Self::Forwarded => "forwarded",
            Self::Single(header) => header.name(),
        }
    }
}

impl fmt::Display for ProxyHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ProxyHeader {
    type Err = ProxyHeaderError;

    fn from_str(text: &str) -> Result<Self, ProxyHeaderError> {
        let name = text.trim().to_ascii_lowercase();
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if !(1..=Self::NAME_BYTES_MAX).contains(&name.len()) || !name.bytes().all(is_part) {
            return Err(ProxyHeaderError);
        }
        Ok(match name.as_str() {
            "x-forwarded-for" => Self::XForwardedFor,
            "forwarded" => Self::Forwarded,
            _ => Self::Single(SingleHeader(name.into())),
        })
    }
}

/// Whether a header of this name tells that a proxy handed the request on: `X-Forwarded-*`, `Forwarded`, `X-Real-IP`,
/// `Via`.
///
/// ```
/// use tollgate_wire::forwarded::is_of_proxy;
///
/// assert!(is_of_proxy("X-Forwarded-Proto") && is_of_proxy("via"));
/// assert!(!is_of_proxy("X-Request-Id"));
/// ```
#[inline]
pub fn is_of_proxy(name: &str) -> bool {
    const PREFIX: &str = "x-forwarded-";
    let is = |known: &str| name.eq_ignore_ascii_case(known);
    match name.len() {
        3 => is("via"),
        9 => is("forwarded") || is("x-real-ip"),
        _ => name.get(..PREFIX.len()).is_some_and(|start| start.eq_ignore_ascii_case(PREFIX)),
    }
}
