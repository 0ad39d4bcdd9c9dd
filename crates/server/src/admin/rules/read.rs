//! Reading one rule.

use tollgate_catalog::RevisionNumber;

use super::{
    super::{call::Call, etag, reply::Reply, route::Outcome},
    view,
};

pub(super) async fn read(call: Call) -> Outcome {
    let head = call.latest().await?;
    let rule = view::found(&head.set, call.in_path("id"))?;
    let version = view::version(&head, rule).unwrap_or(RevisionNumber::ZERO);
    if etag::has(&call.headers, version) {
        return Ok(Reply::not_modified().etag(version).revision(head.number));
    }
    let reply = Reply::json(&view::of(&head, rule));
    Ok(reply.etag(version).revision(head.number))
}
