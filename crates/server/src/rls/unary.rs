//! One call: a message in, a message out.

use std::{
    cmp::Ordering,
    future::Future,
    net::IpAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::{BufMut as _, Bytes, BytesMut};
use http::{
    HeaderMap, HeaderValue, Method, Request, Response, StatusCode,
    header::{AUTHORIZATION, CONTENT_TYPE},
    request::Parts,
};
use http_body_util::BodyExt as _;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use prost::Message as _;
use tokio::time::timeout;
use tollgate_rls::RateLimitRequest;
use tonic::Status;

use super::{
    convert,
    serve::{CallInput, Connection, Untaken},
    service::{Caller, Rls},
};
use crate::{
    identity::{Sender, Trust},
    listen::NoRoom,
    stop::Stop,
    telemetry::Turned,
};

/// Answers calls within a bound of time and memory.
pub(super) struct Unary {
    pub(super) rls: Arc<Rls>,
    /// From the head of a request to the last of its bytes.
    pub(super) request: Duration,
}

/// The bytes of one question. What Envoy asks takes some hundreds; a client may send a header of 60 KiB
/// that each of the descriptors is made from.
const MESSAGE_BYTES_MAX: usize = 4 << 20;
/// Whether it is compressed, and the length.
const PREFIX_BYTES: usize = 5;
const GRPC: &str = "application/grpc";

/// What came of reading a message.
enum Read {
    Whole(Bytes),
    /// It says that it is longer than any may be.
    TooLong(usize),
}

/// Why no message was read.
enum Refused {
    Turned(Turned, Status),
    NoRoom,
}

impl From<NoRoom> for Refused {
    fn from(NoRoom: NoRoom) -> Self {
        Self::NoRoom
    }
}

const NO_ROOM: &str = "other requests that have not arrived whole hold all the memory that there is for them: send it again";

impl Unary {
    pub(super) fn new(rls: Arc<Rls>, request: Duration) -> Self {
        Self { rls, request }
    }

    pub(super) async fn call(
        &self,
        request: Request<Incoming>,
        connection: &Connection,
        (trust, peer): (Trust, Option<IpAddr>),
    ) -> Response<Body> {
        if let Err(status) = speaks_grpc(&request) {
            self.rls.turned_away(Turned::Bad);
            return only(status);
        }
        let (head, body) = request.into_parts();
        let token = head.headers.get(AUTHORIZATION).and_then(bearer);
        let sender = Sender::of_call(&head.headers);
        let caller = Caller { trust, sender, peer, token };
        let held = connection.input.begin(head_bytes(&head));
        match self.answer(body, held, caller).await {
            Ok(message) => reply(Body::Message(message, connection.taking.begin())),
            Err(status) => status.into_http(),
        }
    }

    async fn answer(
        &self,
        body: Incoming,
        held: CallInput,
        caller: Caller<'_>,
    ) -> Result<Bytes, Status> {
        let read = timeout(self.request, read(body, held)).await;
        let read = read.unwrap_or_else(|_| {
            let slow = "the request took too long to arrive: send it again";
            Err(Refused::Turned(Turned::Slow, Status::deadline_exceeded(slow)))
        });
        let read = read.map_err(|refused| match refused {
            Refused::Turned(what, status) => {
                self.rls.turned_away(what);
                status
            }
            // Counted where there was no room.
            Refused::NoRoom => Status::resource_exhausted(NO_ROOM),
        })?;
        let response = match read {
            Read::TooLong(bytes) => {
                self.rls.turned_away(Turned::Bad);
                convert::too_long(bytes, MESSAGE_BYTES_MAX)
            }
            Read::Whole(message) => match RateLimitRequest::decode(message) {
                Ok(request) => self.rls.answer(&request, caller).await?,
                Err(error) => {
                    self.rls.turned_away(Turned::Bad);
                    let hint = format!("this is no RateLimitRequest: {error}");
                    return Err(Status::invalid_argument(hint));
                }
            },
        };
        let length = response.encoded_len();
        let mut bytes = BytesMut::with_capacity(PREFIX_BYTES + length);
        bytes.put_u8(0);
        bytes.put_u32(u32::try_from(length).unwrap_or(u32::MAX));
        // It cannot fail: the buffer grows.
        let encoded = response.encode(&mut bytes);
        encoded.map_err(|error| Status::internal(error.to_string()))?;
        Ok(bytes.freeze())
    }
}

/// The message, mostly in one piece and not copied.
async fn read(mut body: Incoming, mut held: CallInput) -> Result<Read, Refused> {
    let mut pieces = BytesMut::new();
    held.grow(0)?;
    loop {
        let Some(frame) = body.frame().await else {
            return Err(bad("the message ends before its end"));
        };
        let frame = frame.map_err(|error| bad(&format!("the request broke off: {error}")))?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if pieces.is_empty()
            && let Some(length) = length_of(&data)?
            && data.len() == PREFIX_BYTES + length
        {
            return Ok(Read::Whole(data.slice(PREFIX_BYTES..)));
        }
        // A buffer that grows has twice its former size.
        held.grow((pieces.len() + data.len()).saturating_mul(2))?;
        pieces.extend_from_slice(&data);
        let Some(length) = length_of(&pieces)? else {
            continue;
        };
        if length > MESSAGE_BYTES_MAX {
            return Ok(Read::TooLong(length));
        }
        match pieces.len().cmp(&(PREFIX_BYTES + length)) {
            Ordering::Less => {}
            Ordering::Equal => {
                let message = pieces.split_off(PREFIX_BYTES).freeze();
                return Ok(Read::Whole(message));
            }
            Ordering::Greater => return Err(bad("one message is asked for, here are more")),
        }
    }
}

/// The bytes of a head, as HTTP/2 counts them.
fn head_bytes(head: &Parts) -> usize {
    const FIELD_BYTES: usize = 32;
    let fields = head.headers.iter();
    let fields = fields.map(|(name, value)| name.as_str().len() + value.len() + FIELD_BYTES);
    fields.sum::<usize>() + head.uri.path().len()
}

/// How long the message is, as soon as that is known.
fn length_of(bytes: &[u8]) -> Result<Option<usize>, Refused> {
    let Some([compressed, length @ ..]) = bytes.first_chunk::<PREFIX_BYTES>() else {
        return Ok(None);
    };
    if *compressed != 0 {
        let plain = Status::unimplemented("compressed messages are not understood here");
        return Err(Refused::Turned(Turned::Bad, plain));
    }
    let length = usize::try_from(u32::from_be_bytes(*length));
    Ok(Some(length.unwrap_or(usize::MAX)))
}

fn bad(hint: &str) -> Refused {
    Refused::Turned(Turned::Bad, Status::invalid_argument(hint))
}

fn reply(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(GRPC));
    response
}

/// Whoever does not speak gRPC is told so in HTTP.
fn speaks_grpc(request: &Request<Incoming>) -> Result<(), StatusCode> {
    if request.method() != Method::POST {
        return Err(StatusCode::METHOD_NOT_ALLOWED);
    }
    let kind = request.headers().get(CONTENT_TYPE);
    match kind {
        Some(kind) if kind.as_bytes().starts_with(GRPC.as_bytes()) => Ok(()),
        _ => Err(StatusCode::UNSUPPORTED_MEDIA_TYPE),
    }
}

/// What stands after `Bearer`.
fn bearer(value: &HeaderValue) -> Option<&str> {
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    let is_bearer = scheme.eq_ignore_ascii_case("bearer");
    is_bearer.then(|| token.trim_ascii())
}

fn only(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::default());
    *response.status_mut() = status;
    response
}

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
