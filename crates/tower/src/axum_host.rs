//! What axum knows of a request.

use std::net::SocketAddr;

use axum::extract::{ConnectInfo, OriginalUri};
use http::{Extensions, Uri};

/// Who called, for services that were made with `into_make_service_with_connect_info::<SocketAddr>()`.
pub(crate) fn peer(extensions: &Extensions) -> Option<SocketAddr> {
    extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0)
}

/// The path before `nest` cut off its part.
pub(crate) fn original(extensions: &Extensions) -> Option<&Uri> {
    extensions.get::<OriginalUri>().map(|uri| &uri.0)
}
