//! Looking at counters, and making them fresh.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use axum::http::StatusCode;
use serde_json::{Value, json};
use tollgate::{Action, MatchedLimit, OnFailure};
use tollgate_core::{Cost, Decision, Micros, Sharing, Timestamp};
use tollgate_rules::{Directory, Facts, KeyCard, Live, Query, UnknownScope, document};
use tollgate_wire::check::{CheckBody, Purpose, read_body};

use super::super::{call::Call, params::Params, problem::Problem, reply::Reply, route::Outcome};
use crate::{
    counting::Counting,
    engine::{Answer, Ask, CounterOp, Refusal},
    identity::{Identifier, Identity, Stated, secret::Kind},
    record::Counters,
    telemetry::{Hot, TopKeys},
};

/// How many keys are shown, if nobody says.
const TOP: u64 = 20;

pub(super) async fn peek(call: Call) -> Outcome {
    let facts = asked(&call)?;
    shown(&call, &facts).await
}

pub(super) async fn reset(call: Call) -> Outcome {
    let facts = asked(&call)?;
    look(&call, &facts, Action::Reset).await?;
    let what = Counters::of(&facts.query()?, call.params.text("rule"));
    call.state.authority.record().reset(call.author(), what);
    shown(&call, &facts).await
}

/// The facts that the query holds: at least one, or a rule.
fn asked(call: &Call) -> Result<Asked, Problem> {
    let directory = call.state.engine.live().directory();
    let facts = Asked::new(in_query(&call.params), directory);
    if !facts.query()?.has_facts() && call.params.text("rule").is_none() {
        let detail = "give at least one fact, for example user_id=alice";
        return Err(Problem::bad(detail));
    }
    Ok(facts)
}

/// The counters as they are, and what the next request would hear.
async fn shown(call: &Call, facts: &Asked) -> Outcome {
    let mut free = facts.clone();
    free.facts.cost = Some(Cost::new(0));
    let now = look(call, &free, Action::Peek).await?;
    let next = look(call, facts, Action::Peek).await?;
    let engine = &call.state.engine;
    let keys = keys(engine.live(), &facts.query()?, call.now());
    let counting = engine.counting();
    Ok(Reply::json(&counters(&now, &next, counting, &keys)))
}

async fn look(call: &Call, facts: &Asked, action: Action) -> Result<Answer, Problem> {
    let rule = call.params.text("rule");
    let ask = Ask::new(facts.query()?);
    let answer = call.state.engine.inspect(CounterOp { action, rule }, &ask).await;
    answer.map_err(|refusal| refused(&refusal))
}

pub(super) fn refused(refusal: &Refusal) -> Problem {
    let detail = refusal.to_string();
    match refusal {
        Refusal::NoSnapshot => no_rules(detail),
        Refusal::UnknownRule(_) => Problem::not_found(detail),
        Refusal::Counters(_) => {
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "counters", detail).retry_after_s(1)
        }
        Refusal::RequestIdTaken => Problem::new(StatusCode::CONFLICT, "request-id", detail),
    }
}

/// Nothing was ever published.
pub(super) fn no_rules(detail: String) -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "no-rules", detail).retry_after_s(1)
}

pub(super) async fn top(call: Call) -> Outcome {
    let limit = call.params.whole("limit").unwrap_or(TOP);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let top = call.state.engine.recorder().top().list(limit);
    let key = |hot: &Hot| json!({ "rule": hot.rule, "key": hot.key, "count": hot.requests, "error": hot.error });
    let body = json!({
        "keys": top.keys.iter().map(key).collect::<Vec<Value>>(),
        "span_s": top.span.as_secs_ceil(),
        "sampled_one_in": TopKeys::SAMPLED,
        "node": call.state.node.as_str(),
    });
    Ok(Reply::json(&body))
}

pub(super) async fn explain(call: Call) -> Outcome {
    let facts = in_json(&call)?;
    if !facts.query()?.has_facts() {
        return Err(Problem::bad("give at least one fact, for example user_id"));
    }
    let live = Arc::clone(call.state.engine.live());
    let Some(snapshot) = live.snapshot() else {
        return Err(no_rules(tollgate::NoSnapshot.to_string()));
    };
    let now = call.now();
    let counting = call.state.engine.counting();
    // Thousands of rules take a while; the threads that serve requests are not for that.
    let told = tokio::task::spawn_blocking(move || {
        let query = facts.query().ok()?;
        let explanation = snapshot.explain(&query, live.directory(), now);
        let story = counting.story(&explanation);
        Some((explanation.to_json(), story))
    });
    let Ok(Some((mut told, story))) = told.await else {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        return Err(Problem::new(status, "failed", "the request could not be explained"));
    };
    if let Value::Object(members) = &mut told {
        members.insert("consistency".to_owned(), story.into());
    }
    Ok(Reply::json(&told))
}

/// The facts of a request, and the key that was issued here if they name one.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) facts: Facts,
    card: Option<Arc<KeyCard>>,
    /// What a token or an API key that is shown proves.
    identity: Option<Identity>,
}

impl Asked {
    /// A key that was issued here brings along whose it is, as it does where it is shown; what is stated counts before
    /// that.
    pub(super) fn new(mut facts: Facts, directory: &Directory) -> Self {
        let id = facts.api_key.as_deref();
        let card = id.and_then(|id| directory.key_by_id(id));
        if let Some(card) = &card {
            let key = card.key();
            for (stated, known) in [
                (&mut facts.user, &key.user),
                (&mut facts.org, &key.org),
                (&mut facts.tier, &key.tier),
            ] {
                if stated.is_none() {
                    stated.clone_from(known);
                }
            }
        }
        Self { facts, card, identity: None }
    }

    /// With the token or API key that a client would show.
    fn showing(mut self, token: &str, identifier: &Identifier) -> Result<Self, Problem> {
        let is_key = token.starts_with(Kind::ApiKey.prefix());
        let stated = Stated {
            token: Some(token).filter(|_| !is_key),
            api_key: Some(token).filter(|_| is_key),
            user: self.facts.user.as_deref(),
            org: self.facts.org.as_deref(),
            tier: self.facts.tier.as_deref(),
            ..Stated::default()
        };
        let identity = identifier.examine(&stated).map_err(|refused| {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            let problem = Problem::new(status, "token-refused", refused.to_string());
            problem.with("reason", refused.reason().word())
        })?;
        self.identity = Some(identity);
        Ok(self)
    }

    /// As a query.
    pub(super) fn query(&self) -> Result<Query<'_>, Problem> {
        let query = self.facts.query();
        let mut query = query.map_err(|error| Problem::bad(error.to_string()))?;
        if let Some(card) = &self.card {
            query.set_key(card);
        }
        if let Some(identity) = &self.identity {
            let filled = identity.fill(&mut query);
            filled.map_err(|error| Problem::bad(error.to_string()))?;
        }
        Ok(query)
    }
}

/// From the query of a request.
pub(super) fn in_query(params: &Params) -> Facts {
    let text = |name: &str| params.text(name).map(Into::into);
    let mut facts = Facts::default();
    facts.user = text("user_id");
    facts.org = text("org_id");
    facts.api_key = text("api_key");
    facts.ip = text("ip");
    facts.tier = text("tier");
    facts.endpoint = text("endpoint");
    facts.method = text("method");
    facts.region = text("region");
    let attributes = params.texts("attributes");
    let attributes = attributes.map(|(name, value)| (name.into(), value.into()));
    facts.attributes = attributes.collect();
    facts
}

/// From a body, as a check has it.
pub(super) fn in_json(call: &Call) -> Result<Asked, Problem> {
    let body = read_body(call.body.as_bytes(), Purpose::Check);
    let body = body.map_err(|error| Problem::bad(error.to_string()))?;
    let facts = facts(&body).map_err(|error| Problem::bad(error.to_string()))?;
    let asked = Asked::new(facts, call.state.engine.live().directory());
    match body.token.as_deref().map(str::trim_ascii) {
        None | Some("") => Ok(asked),
        Some(token) => asked.showing(token, &call.state.identifier),
    }
}

/// The facts of a check.
pub(super) fn facts(body: &CheckBody<'_>) -> Result<Facts, UnknownScope> {
    let text = |fact: &Option<Cow<'_, str>>| fact.as_deref().map(Arc::from);
    let mut facts = Facts::default();
    facts.user = text(&body.user_id);
    facts.org = text(&body.org_id);
    facts.api_key = text(&body.api_key);
    facts.ip = text(&body.ip);
    facts.tier = text(&body.tier);
    facts.endpoint = text(&body.endpoint);
    facts.method = text(&body.method);
    facts.region = text(&body.region);
    let attributes = body.attributes.iter();
    facts.attributes =
        attributes.map(|(name, value)| (Arc::from(&**name), Arc::from(&**value))).collect();
    facts.cost = body.cost.map(Cost::new);
    facts.scope = body.scope.as_deref().map(str::parse).transpose()?;
    Ok(facts)
}

/// What is said of counters besides their numbers, by the name of the rule and the period.
pub(super) type Keys = BTreeMap<(String, String), Named>;

/// What a counter counts by, and how its limit is shared.
pub(super) struct Named {
    key: String,
    sharing: Sharing,
}

/// The keys of a request, as they are now.
pub(super) fn keys(live: &Live, query: &Query<'_>, now: Timestamp) -> Keys {
    let keys = live.with_snapshot(|snapshot| {
        let plan = snapshot.plan(query, live.directory(), now);
        let lines = plan.lines().iter();
        let named = lines.map(|line| {
            let (rule, limit) = (line.rule(), &line.limit().limit);
            let named =
                Named { key: plan.key_in_words(line), sharing: limit.sharing(rule.consistency()) };
            let name = (rule.name.to_string(), limit.period().to_string());
            (name, named)
        });
        named.collect()
    });
    keys.unwrap_or_default()
}

/// Every counter as it is `now`, and whether the `next` request would pass.
pub(super) fn counters(now: &Answer, next: &Answer, counting: Counting, keys: &Keys) -> Value {
    let ruling = &next.ruling;
    let pairs = now.ruling.decisions().zip(ruling.decisions());
    let counters = pairs.map(|((met, state), (_, verdict))| {
        let mut json = counter(met, state, now.at());
        let named = keys.get(&(met.rule.name.to_string(), met.period.to_string()));
        let sharing = named.map_or(Sharing::Exact, |named| named.sharing);
        let counted = counting.of(sharing);
        let wait = verdict.retry_after().filter(|_| !verdict.is_allowed());
        let wait = wait.map(|wait| Micros::from(wait).as_secs_ceil());
        if let Value::Object(members) = &mut json {
            let key = named.map_or("", |named| named.key.as_str());
            members.insert("key".to_owned(), json!(key));
            members.insert("counted".to_owned(), json!(counted));
            members.insert("allowed".to_owned(), json!(verdict.is_allowed()));
            members.insert("retry_after".to_owned(), json!(wait));
        }
        json
    });
    let counters: Vec<Value> = counters.collect();
    json!({
        "revision": ruling.revision(),
        "allowed": ruling.is_allowed(),
        "blocked": !ruling.is_allowed() && counters.is_empty(),
        "rule": ruling.rule().map(|rule| rule.name.as_str()),
        "reason": ruling.reason().word(),
        "counters": counters,
        "fallback": ruling.fallback().map(OnFailure::word),
        "consistency": counting.words(),
    })
}

fn counter(met: &MatchedLimit, decision: &Decision, at: Timestamp) -> Value {
    let reset = at.saturating_add(Micros::from(decision.reset_after()));
    json!({
        "rule": met.rule.name.as_str(),
        "rule_id": document::rule_json(&met.rule).get("id"),
        "period": met.period.to_string(),
        "window_s": met.period.length().as_secs_ceil(),
        "limit": decision.limit(),
        "remaining": decision.remaining(),
        "reset": reset.as_secs_ceil(),
        "overridden": met.is_overridden,
    })
}
