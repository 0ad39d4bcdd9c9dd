//! A client that was built without the feature `tls`.

use std::io;

use tokio::net::TcpStream;

use crate::{BuildError, transport::Papers};

/// There is none.
#[derive(Clone, Debug)]
pub(crate) enum Tls {}

impl Tls {
    pub(crate) fn new(_host: &str, _papers: &Papers) -> Result<Self, BuildError> {
        let missing = "this client was built without the feature `tls`";
        Err(BuildError::Tls(missing.to_owned()))
    }

    pub(crate) async fn greet(&self, stream: TcpStream) -> io::Result<TcpStream> {
        Ok(stream)
    }
}
