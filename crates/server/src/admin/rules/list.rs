//! Listing rules.

use std::ops::Bound;

use serde_json::{Value, json};

use super::{
    super::{call::Call, cursor, reply::Reply, route::Outcome, shared::PAGE},
    filter::Filter,
    view,
};

use crate::rules::Shown;

const LIST: &str = "rules";

pub(super) async fn list(call: Call) -> Outcome {
    let after = call.params.text("cursor");
    let after = after.map(|after| cursor::read(LIST, after)).transpose()?;
    let head = call.latest().await?;
    let filter = Filter::new(&call.params);
    let from = after.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
    let rest = head.set.rules.range::<str, _>((from, Bound::Unbounded));
    let mut kept = rest.map(|(_, rule)| rule).filter(|rule| filter.keeps(rule));
    let limit = call.params.whole("limit").unwrap_or(PAGE);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let page: Vec<_> = kept.by_ref().take(limit).collect();
    let last = page.last().filter(|_| kept.next().is_some());
    let next = last.map(|rule| cursor::written(LIST, rule.name.as_str()));
    let is_demo = (call.state.condition)().shown == Shown::Demo;
    let body = json!({
        "rules": page.iter().map(|rule| view::of(&head, rule)).collect::<Vec<Value>>(),
        "next_cursor": next,
        "revision": head.number.get(),
        "demo": is_demo,
        "note": is_demo.then_some(DEMO),
    });
    Ok(Reply::json(&body).revision(head.number))
}

const DEMO: &str = "demonstration rules are in force, which are not stored: the first rule that is \
                    written takes their place";
