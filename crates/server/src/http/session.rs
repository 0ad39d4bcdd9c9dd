//! One conversation over HTTP/1.1.

use std::sync::Arc;

use tollgate_wire::{
    check::Problem,
    http1::{After, CONTINUE, Decoded, Decoder, Flaw, Limits},
};

use super::{
    HttpService,
    answer::Check,
    handler::{HttpHandler, ResponseFraming},
};
use crate::listen::{OUTPUT_BYTES_HIGH, Peer, Session, Step, Then};

/// Reads requests, answers them in order.
pub(crate) struct HttpSession {
    decoder: Decoder,
    handler: HttpHandler,
}

/// How many pipelined checks are decided together.
const TOGETHER_MAX: usize = 64;
/// What the answer to a check takes, roughly: so much is expected while it is not yet decided.
const ANSWER_BYTES_LIKELY: usize = 1_024;

/// The longest body at these paths, of which each takes a single request.
const SINGLE_BYTES_MAX: usize = 64 * 1024;
const SINGLE_PATHS: &[&str] =
    &["/ratelimit/check", "/ratelimit/peek", "/ratelimit/refund", "/ratelimit/reset"];

fn limits(service: &HttpService) -> Limits {
    Limits {
        body_bytes_max: service.body_bytes_max,
        short_bytes_max: SINGLE_BYTES_MAX,
        short_paths: SINGLE_PATHS,
    }
}

/// What is told of bytes that are no request.
fn problem(flaw: Flaw) -> Problem {
    let detail = match flaw {
        Flaw::BodyTooLong { max: SINGLE_BYTES_MAX } => format!(
            "{flaw}, the most for a single request: send several in one body to /ratelimit/check/batch"
        ),
        _ => flaw.to_string(),
    };
    Problem::new(flaw.status(), detail)
}

impl HttpSession {
    pub(crate) fn new(service: Arc<HttpService>, peer: Peer) -> Self {
        Self { decoder: Decoder::new(limits(&service)), handler: HttpHandler::new(service, peer) }
    }
}

impl Session for HttpSession {
    async fn advance(&mut self, input: &[u8], output: &mut Vec<u8>) -> Step {
        let Self { decoder, handler } = self;
        handler.now = handler.service.now();
        let mut checks: Vec<Check<'_>> = Vec::new();
        let mut step = Step { taken: 0, answered: 0, then: Then::Read };
        loop {
            let expected = output.len() + checks.len() * ANSWER_BYTES_LIKELY;
            if expected >= OUTPUT_BYTES_HIGH || checks.len() == TOGETHER_MAX {
                handler.decide(&mut checks, output).await;
            }
            let rest = input.get(step.taken..).unwrap_or_default();
            if rest.is_empty() {
                break;
            }
            if output.len() >= OUTPUT_BYTES_HIGH {
                step.then = Then::Again;
                break;
            }
            let after = match decoder.decode(rest) {
                Ok(Decoded::Partial { taken }) => {
                    step.taken += taken;
                    break;
                }
                Ok(Decoded::Continue { taken }) => {
                    step.taken += taken;
                    handler.decide(&mut checks, output).await;
                    output.extend_from_slice(CONTINUE);
                    continue;
                }
                Ok(Decoded::Whole { request, taken }) => {
                    step.taken += taken;
                    handler.serve(&request, &mut checks, output).await
                }
                Ok(Decoded::Gathered { taken }) => {
                    step.taken += taken;
                    handler.decide(&mut checks, output).await;
                    serve_gathered(decoder, handler, output).await
                }
                Err(flaw) => {
                    handler.decide(&mut checks, output).await;
                    handler.problem(&problem(flaw), ResponseFraming::LAST, output);
                    After::Close
                }
            };
            step.answered += 1;
            if after == After::Close {
                step.then = Then::Close;
                break;
            }
        }
        handler.decide(&mut checks, output).await;
        step
    }

    fn is_idle(&self) -> bool {
        self.decoder.is_idle()
    }

    fn wind_down(&mut self) {
        self.handler.after = After::Close;
    }

    fn input_bytes(&self) -> usize {
        self.decoder.capacity()
    }

    fn release_input(&mut self) {
        self.decoder = Decoder::new(limits(&self.handler.service));
    }

    fn no_room(&mut self, output: &mut Vec<u8>) {
        self.handler.now = self.handler.service.now();
        let detail = "other requests that have not arrived whole hold all the memory that there is for them: send it again";
        self.handler.refuse(&Problem::new(503, detail), output);
    }

    fn too_slow(&mut self, output: &mut Vec<u8>) {
        if self.decoder.is_idle() {
            return;
        }
        self.handler.now = self.handler.service.now();
        let problem = Problem::new(408, "the request took too long to arrive: send it again");
        self.handler.problem(&problem, ResponseFraming::LAST, output);
    }
}

/// Serves a request that lies in the decoder, so that it cannot wait for others.
async fn serve_gathered(
    decoder: &mut Decoder,
    handler: &mut HttpHandler,
    output: &mut Vec<u8>,
) -> After {
    let Some(request) = decoder.gathered() else {
        return After::Close;
    };
    let mut check = Vec::new();
    let after = handler.serve(&request, &mut check, output).await;
    handler.decide(&mut check, output).await;
    decoder.release();
    after
}
