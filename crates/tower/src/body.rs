//! The body of a response: the service's, or ours.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

pin_project! {
    /// The body of a response that went through the layer.
    ///
    /// ```
    /// use bytes::Bytes;
    /// use http_body::Body;
    /// use http_body_util::Full;
    /// use tollgate_tower::ResponseBody;
    ///
    /// let body: ResponseBody<Full<Bytes>> = ResponseBody::of_layer(Bytes::from_static(b"{}"));
    /// assert_eq!(body.size_hint().exact(), Some(2));
    /// ```
    #[derive(Debug)]
    pub struct ResponseBody<B> {
        #[pin]
        body: Either<B>,
    }
}

pin_project! {
    #[derive(Debug)]
    #[project = EitherProjection]
    enum Either<B> {
        Service { #[pin] body: B },
        Layer { bytes: Option<Bytes> },
    }
}

impl<B> ResponseBody<B> {
    /// The service's own.
    pub const fn of_service(body: B) -> Self {
        let body = Either::Service { body };
        Self { body }
    }

    /// The layer's, where the service was not asked.
    pub fn of_layer(bytes: Bytes) -> Self {
        let bytes = (!bytes.is_empty()).then_some(bytes);
        let body = Either::Layer { bytes };
        Self { body }
    }
}

impl<B: Body<Data = Bytes>> Body for ResponseBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        match self.project().body.project() {
            EitherProjection::Service { body } => body.poll_frame(context),
            EitherProjection::Layer { bytes } => {
                Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.body {
            Either::Service { body } => body.is_end_stream(),
            Either::Layer { bytes } => bytes.is_none(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.body {
            Either::Service { body } => body.size_hint(),
            Either::Layer { bytes } => {
                let bytes = bytes.as_ref().map_or(0, Bytes::len);
                SizeHint::with_exact(u64::try_from(bytes).unwrap_or(u64::MAX))
            }
        }
    }
}
