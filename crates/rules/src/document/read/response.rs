//! What a denied client is told.

use super::{
    super::{findings::Findings, tree::Node},
    fields::Shape,
    scalar,
};
use crate::Response;

static RESPONSE: Shape = Shape {
    what: "a response",
    fields: &["status", "message", "retry_after"],
    later: &[],
    elsewhere: &[],
};

/// `{ status: 429, message: slow down, retry_after: 30 }`.
pub(super) fn response(node: &Node<'_>, findings: &mut Findings) -> Option<Response> {
    let fields = RESPONSE.open(node, findings)?;
    let mut response = Response::default();
    if let Some(node) = fields.find("status") {
        response.status = scalar::whole(node, "status", Response::STATUS_RANGE, findings);
    }
    if let Some(node) = fields.find("message") {
        response.message = scalar::prose(node, "message", Response::MESSAGE_BYTES_MAX, findings);
    }
    if let Some(node) = fields.find("retry_after") {
        let range = 1..=Response::RETRY_AFTER_S_MAX;
        response.retry_after_s = scalar::whole(node, "retry_after, in seconds,", range, findings);
    }
    Some(response)
}
