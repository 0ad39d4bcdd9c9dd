//! What is sent back.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tonic::Status;

use super::taking::Untaken;
use crate::stop::Stop;

/// The body of an answer.
#[derive(Default)]
pub(super) enum Body {
    /// One message, and then that all went well.
    Message(Bytes, Untaken),
    /// That all went well.
    Trailers(#[expect(dead_code, reason = "its end is what counts")] Untaken),
    /// Nothing more.
    #[default]
    Empty,
    /// What another service says, until the word to stop.
    Other(tonic::body::Body, Pin<Box<dyn Future<Output = ()> + Send>>),
}

const OK: HeaderValue = HeaderValue::from_static("0");
const UNAVAILABLE: HeaderValue = HeaderValue::from_static("14");

impl Body {
    pub(super) fn until(body: tonic::body::Body, mut stop: Stop) -> Self {
        Self::Other(body, Box::pin(async move { stop.heard().await }))
    }

    /// The next piece of an answer of our own.
    fn next(&mut self) -> Option<Frame<Bytes>> {
        match std::mem::take(self) {
            Self::Message(bytes, untaken) => {
                *self = Self::Trailers(untaken);
                Some(Frame::data(bytes))
            }
            // What is asked for after the message is room for the trailers: the message was taken.
            Self::Trailers(_) => Some(trailers(OK)),
            Self::Empty | Self::Other(..) => None,
        }
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = match &mut *self {
            Self::Other(body, stop) => {
                let said = Pin::new(body).poll_frame(context);
                if said.is_ready() || stop.as_mut().poll(context).is_pending() {
                    return said;
                }
                *self = Self::Empty;
                trailers(UNAVAILABLE)
            }
            Self::Message(..) | Self::Trailers(_) | Self::Empty => match self.next() {
                Some(frame) => frame,
                None => return Poll::Ready(None),
            },
        };
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Message(..) | Self::Trailers(_) => false,
            Self::Empty => true,
            Self::Other(body, _) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Message(bytes, _) => SizeHint::with_exact(bytes.len() as u64),
            Self::Trailers(_) | Self::Empty => SizeHint::with_exact(0),
            Self::Other(body, _) => body.size_hint(),
        }
    }
}

fn trailers(status: HeaderValue) -> Frame<Bytes> {
    let mut trailers = HeaderMap::with_capacity(1);
    trailers.insert("grpc-status", status);
    Frame::trailers(trailers)
}
