//! Asking another server over HTTP: the command line asks ours, metrics go to a collector.

use std::{io, time::Duration};

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{Method, Request, body::Bytes, client::conn::http1, header};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};

use crate::tls::Trust;

/// One request to a server, over a connection of its own.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing<'a> {
    /// `host:port`.
    pub authority: &'a str,
    /// The path, from its slash on.
    pub path: &'a str,
    /// The token to show.
    pub token: Option<&'a str>,
    /// A JSON text; empty with GET and DELETE.
    pub body: &'a str,
    /// How to speak TLS; in clear without it.
    pub trust: Option<&'a Trust>,
}

/// What a server answered.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Bytes,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutgoingError {
    /// Nobody listens there.
    #[error("cannot connect to {authority}: {source}")]
    Connect {
        /// Where.
        authority: String,
        /// Why.
        source: io::Error,
    },
    /// It does not speak TLS, or not with us.
    #[error("cannot speak TLS with {authority}: {source}")]
    Unsealed {
        /// With whom.
        authority: String,
        /// Why.
        source: io::Error,
    },
    /// It took too long.
    #[error("{authority} did not answer within {} s", .deadline.as_secs_f32())]
    Late {
        /// Who.
        authority: String,
        /// How long it had.
        deadline: Duration,
    },
    /// What came back is not an answer.
    #[error("{authority} did not answer as an HTTP server does: {why}")]
    Garbled {
        /// Who.
        authority: String,
        /// What is wrong.
        why: String,
    },
}

impl Outgoing<'_> {
    /// The longest body of an answer.
    pub const REPLY_BYTES_MAX: usize = 16 << 20;

    /// Sends it with POST, and waits for the answer, all in all not longer than `deadline`.
    ///
    /// # Errors
    ///
    /// [`OutgoingError`]. A status of whatever kind is an answer.
    pub async fn post(&self, deadline: Duration) -> Result<Reply, OutgoingError> {
        self.send(Method::POST, deadline).await
    }

    /// The same with GET.
    ///
    /// # Errors
    ///
    /// As for [`Outgoing::post`].
    pub async fn get(&self, deadline: Duration) -> Result<Reply, OutgoingError> {
        self.send(Method::GET, deadline).await
    }

    /// The same with PUT.
    ///
    /// # Errors
    ///
    /// As for [`Outgoing::post`].
    pub async fn put(&self, deadline: Duration) -> Result<Reply, OutgoingError> {
        self.send(Method::PUT, deadline).await
    }

    /// The same with DELETE.
    ///
    /// # Errors
    ///
    /// As for [`Outgoing::post`].
    pub async fn delete(&self, deadline: Duration) -> Result<Reply, OutgoingError> {
        self.send(Method::DELETE, deadline).await
    }

    async fn send(&self, method: Method, deadline: Duration) -> Result<Reply, OutgoingError> {
        let answer = tokio::time::timeout(deadline, self.exchange(method)).await;
        answer.unwrap_or_else(|_| {
            Err(OutgoingError::Late { authority: self.authority.to_owned(), deadline })
        })
    }

    async fn exchange(&self, method: Method) -> Result<Reply, OutgoingError> {
        let stream = TcpStream::connect(self.authority).await;
        let stream = stream.map_err(|source| OutgoingError::Connect {
            authority: self.authority.to_owned(),
            source,
        })?;
        match self.trust {
            None => self.converse(stream, method).await,
            Some(trust) => {
                let sealed = trust.seal(self.authority, stream).await;
                let sealed = sealed.map_err(|source| OutgoingError::Unsealed {
                    authority: self.authority.to_owned(),
                    source,
                })?;
                self.converse(sealed, method).await
            }
        }
    }

    async fn converse<S>(&self, stream: S, method: Method) -> Result<Reply, OutgoingError>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let request = self.request(method)?;
        let shaken = http1::handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) = shaken.map_err(|error| self.garbled(&error))?;
        let answer = async move {
            let response = sender.send_request(request).await?;
            let status = response.status().as_u16();
            let body = Limited::new(response.into_body(), Self::REPLY_BYTES_MAX);
            Ok::<_, hyper::Error>((status, body.collect().await))
        };
        // The connection is over once the answer is: what it has to say then is in the answer.
        let (answer, _) = tokio::join!(answer, connection);
        let (status, body) = answer.map_err(|error| self.garbled(&error))?;
        let body = body.map_err(|error| self.garbled(&error))?.to_bytes();
        Ok(Reply { status, body })
    }

    fn request(&self, method: Method) -> Result<Request<Full<Bytes>>, OutgoingError> {
        let mut request = Request::builder()
            .method(method)
            .uri(self.path)
            .header(header::HOST, self.authority)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::CONNECTION, "close");
        if let Some(token) = self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let body = Full::new(Bytes::copy_from_slice(self.body.as_bytes()));
        request.body(body).map_err(|error| self.garbled(&error))
    }

    fn garbled(&self, why: &impl ToString) -> OutgoingError {
        OutgoingError::Garbled { authority: self.authority.to_owned(), why: why.to_string() }
    }
}

impl OutgoingError {
    /// Whether nobody listens there.
    pub fn is_refused(&self) -> bool {
        matches!(self, Self::Connect { source, .. } if source.kind() == io::ErrorKind::ConnectionRefused)
    }
}
