//! A key by a header.

use http::{HeaderName, header::AUTHORIZATION};

use super::{Facts, Key, Role};
use crate::RequestHead;

/// Keyed by the first header of this name: the API key for `x-api-key`, and an attribute of that name for every other,
/// unless said. A client can send any value: limit by what your host has verified, or by the address as well.
///
/// ```
/// use tollgate_tower::{Key as _, TollgateLayer, header};
///
/// let layer = TollgateLayer::embedded("100/min")?.key(header("x-customer").as_org());
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
///
/// # Panics
///
/// If this cannot be the name of a header, such as `x api key`.
#[expect(
    clippy::expect_used,
    reason = "documented; a name that is written into the program"
)]
pub fn header(name: &str) -> Header {
    let name = HeaderName::from_bytes(name.as_bytes()).expect("the name of a header");
    let role = match name.as_str() {
        "x-api-key" => Role::ApiKey,
        name => Role::Attribute(name.into()),
    };
    Header { name, role }
}

/// A key by a header: see [`header`].
///
/// ```
/// let key: tollgate_tower::Header = tollgate_tower::header("x-api-key");
/// ```
#[derive(Clone, Debug)]
pub struct Header {
    name: HeaderName,
    role: Role,
}

impl Key for Header {
    fn read<'r>(&'r self, head: &RequestHead<'r>, facts: &mut Facts<'r>) {
        facts.add(&self.role, head.header(&self.name).map(Into::into));
    }
}

/// The token in `Authorization: Bearer …`, for a server to verify. A gate is not told; a plain limiter counts by the
/// token as it is, which nobody has verified.
///
/// ```
/// use tollgate_tower::{TollgateLayer, bearer_token};
///
/// let layer = TollgateLayer::remote("http://tollgate:7070")?.key(bearer_token());
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
pub const fn bearer_token() -> BearerToken {
    BearerToken { _private: () }
}

/// The token of a request: see [`bearer_token`].
///
/// ```
/// let key: tollgate_tower::BearerToken = tollgate_tower::bearer_token();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct BearerToken {
    _private: (),
}

impl Key for BearerToken {
    fn read<'r>(&'r self, head: &RequestHead<'r>, facts: &mut Facts<'r>) {
        facts.add(&Role::Token, shown_token(head).map(Into::into));
    }
}

/// The token that a request shows.
pub(crate) fn shown_token<'r>(head: &RequestHead<'r>) -> Option<&'r str> {
    let (scheme, token) = head.header(AUTHORIZATION)?.split_once([' ', '\t'])?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| token.trim_ascii())
}
