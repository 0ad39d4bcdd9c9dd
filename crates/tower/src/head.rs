//! What is known of a request before its body is read.

use std::{fmt, net::SocketAddr};

use http::{Extensions, HeaderMap, Method, Request, Uri, header::AsHeaderName};

use crate::{axum_host, tonic_host};

/// The head of a request: what keys and costs are made of.
///
/// ```
/// use http::Request;
/// use tollgate_tower::RequestHead;
///
/// let request = Request::get("/search?q=rust").header("x-api-key", "k1").body(())?;
/// let head = RequestHead::of(&request);
/// assert_eq!((head.path(), head.header("x-api-key")), ("/search", Some("k1")));
/// # Ok::<(), http::Error>(())
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct RequestHead<'r> {
    /// The method.
    pub method: &'r Method,
    /// The address, as the service sees it. In axum a router that is nested sees only its part of the path: see
    /// [`RequestHead::path`].
    pub uri: &'r Uri,
    /// The header fields.
    pub headers: &'r HeaderMap,
    /// What others have found out about the request.
    pub extensions: &'r Extensions,
}

impl<'r> RequestHead<'r> {
    /// The head of this request.
    pub fn of<B>(request: &'r Request<B>) -> Self {
        Self {
            method: request.method(),
            uri: request.uri(),
            headers: request.headers(),
            extensions: request.extensions(),
        }
    }

    /// The whole path, also within routers of axum that are nested.
    pub fn path(&self) -> &'r str {
        axum_host::original(self.extensions).unwrap_or(self.uri).path()
    }

    /// The path to ask about; none for `OPTIONS *` and `CONNECT`, which have none.
    pub(crate) fn endpoint(&self) -> Option<&'r str> {
        Some(self.path()).filter(|path| path.starts_with('/'))
    }

    /// The first header of this name, without blanks around it; none if it is empty or no text.
    pub fn header(&self, name: impl AsHeaderName) -> Option<&'r str> {
        let value = self.headers.get(name)?;
        let text = str::from_utf8(value.as_bytes()).ok()?.trim_ascii();
        (!text.is_empty()).then_some(text)
    }

    /// Who called: [`PeerAddr`], or what axum or tonic noted.
    pub fn peer(&self) -> Option<SocketAddr> {
        let noted = self.extensions.get::<PeerAddr>().map(|peer| peer.0);
        noted
            .or_else(|| axum_host::peer(self.extensions))
            .or_else(|| tonic_host::peer(self.extensions))
    }
}

/// Without queries and the values of headers, in which there are secrets.
impl fmt::Debug for RequestHead<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.keys().collect();
        f.debug_struct("RequestHead")
            .field("method", self.method)
            .field("path", &self.path())
            .field("headers", &names)
            .finish_non_exhaustive()
    }
}

/// The address of whoever called, for servers that do not note it themselves: put it into the extensions of each
/// request. It goes before what axum or tonic noted.
///
/// ```
/// use http::Request;
/// use tollgate_tower::{PeerAddr, RequestHead};
///
/// let peer = "192.0.2.1:5000".parse()?;
/// let request = Request::get("/").extension(PeerAddr(peer)).body(())?;
/// assert_eq!(RequestHead::of(&request).peer(), Some(peer));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PeerAddr(pub SocketAddr);
