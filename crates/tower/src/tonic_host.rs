//! What tonic knows of a request.

use std::net::SocketAddr;

use http::Extensions;
use tonic::transport::server::TcpConnectInfo;

/// Who called.
pub(crate) fn peer(extensions: &Extensions) -> Option<SocketAddr> {
    extensions.get::<TcpConnectInfo>()?.remote_addr()
}
