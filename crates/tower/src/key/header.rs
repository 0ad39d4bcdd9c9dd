//! A key by a header.

use http::{HeaderName, header::AUTHORIZATION};

use super::{Facts, Key, Role};
use crate::RequestHead;

/// Keyed by the first header of this name. A client can send any value: limit by what your host has verified, or by the
/// address as well.
///
/// To a plain limiter the value is the key. To a gate or a server it is one fact, and a rule counts by it only if its
/// `key:` names that fact:
///
/// | key of the layer | fact | rule that counts by it |
/// | --- | --- | --- |
/// | `header("x-api-key")` | the API key | `key: [api_key]` |
/// | `header("x-user")`, any other header | the attribute of that name | `key: [attributes.x-user]` |
/// | `header("x-user").as_user()` | the user | `key: [user]` |
/// | `header("x-team").as_org()` | the organisation | `key: [org]` |
/// | `header("x-user").as_user().or(peer_ip())` | the user, or else the address | `key: ["user\|ip"]` |
/// | [`bearer_token`] | the token, which a server verifies: its user, organisation and tier | `key: [user]` |
/// | [`path_param`](crate::path_param) | the attribute of the parameter's name | `key: [attributes.id]` |
/// | [`key_fn`](crate::key_fn) | the user | `key: [user]` |
/// | [`peer_ip`](crate::peer_ip), the default | the address | `key: [ip]` |
///
/// A key replaces the default: after `.key(header(…))` the address is not told any more, unless the key has it as well.
/// A server that limits nothing by these facts lets the request pass; the layer logs that once, and
/// [`Outcome::is_limited`](crate::Outcome::is_limited) is false.
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
