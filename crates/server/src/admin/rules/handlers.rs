//! Writing rules.

use std::{ops::Bound, sync::Arc};

use serde_json::{Value, json};
use tollgate_catalog::{Edit, Expect, Revision, RevisionNumber, Stamp, Step};
use tollgate_rules::{Name, Rule, RuleSet, document, normalise::Path, review::Locus};
use tollgate_wire::admin::without;

use super::super::{
    call::Call,
    change,
    change::{Change, Made, Twice},
    cursor, etag, fits,
    params::Params,
    problem::Problem,
    reply::Reply,
    route::Outcome,
    shared::PAGE,
    trouble, when,
};
use crate::rules::Shown;

pub(super) async fn create(call: Call) -> Outcome {
    call.needs_ownership()?;
    let rule = sent(&call, None)?;
    let name = rule.name.clone();
    let edit = Edit::new(call.author()).step(Step::put(rule), Expect::Absent);
    let location = |revision: &Revision| {
        let rule = revision.set.rules.get(&name)?;
        let json = document::rule_json(rule);
        Some(format!("/ratelimit/rules/{}", json.get("id")?.as_str()?))
    };
    match change::make(&call, edit, Twice::Conflict).await? {
        Change::Dry(dry) => Ok(dry.reply(&|at| is_about(at, &name))),
        Change::Made(made) => {
            let location = location(&made.revision).unwrap_or_default();
            Ok(written(&call, &made, &name).await.created(location))
        }
    }
}

pub(super) async fn replace(call: Call) -> Outcome {
    call.needs_ownership()?;
    let head = call.latest().await?;
    let before = found(&head.set, call.in_path("id"))?;
    let subject = format!("rule {}", before.name);
    let expect = etag::expected(&call.headers, &subject, version(&head, before))?;
    let rule = sent(&call, Some(before))?;
    let name = rule.name.clone();
    let step = Step::rename(before.name.clone(), rule);
    let edit = Edit::new(call.author()).step(step, expect);
    match change::make(&call, edit, Twice::Fine).await? {
        Change::Dry(dry) => Ok(dry.reply(&|at| is_about(at, &name))),
        Change::Made(made) => Ok(written(&call, &made, &name).await),
    }
}

pub(super) async fn remove(call: Call) -> Outcome {
    call.needs_ownership()?;
    let head = call.latest().await?;
    let before = Arc::clone(found(&head.set, call.in_path("id"))?);
    let subject = format!("rule {}", before.name);
    let expect = etag::expected(&call.headers, &subject, version(&head, &before))?;
    let step = Step::remove(before.name.clone());
    let edit = Edit::new(call.author()).step(step, expect);
    match change::make(&call, edit, Twice::Conflict).await? {
        Change::Dry(dry) => Ok(dry.reply(&|_| false)),
        Change::Made(made) => {
            let rule = document::rule_json(&before);
            let gone = json!({ "id": rule.get("id"), "name": before.name.as_str() });
            Ok(made.reply(&call, gone).await)
        }
    }
}

/// The rule that was sent.
fn sent(call: &Call, before: Option<&Arc<Rule>>) -> Result<Rule, Problem> {
    let text = without(&call.body, OURS);
    let rule = document::read_rule(&text).map_err(|report| trouble::refused(&report))?;
    fits::rule(call, &rule)?;
    let first = rule.renamed_from.as_ref().unwrap_or(&rule.name);
    let is_before = before.is_some_and(|before| before.id == rule.id);
    if rule.id == first.rule_id() || is_before {
        return Ok(rule);
    }
    let (detail, help) = match before {
        Some(_) => {
            ("the id is that of another rule", "leave it out, or send the id that this rule has")
        }
        None => (
            "the id of a new rule follows from its name",
            "leave it out; renamed_from keeps the id of an earlier name",
        ),
    };
    let error = json!({ "severity": "error", "path": "id", "message": detail, "help": help });
    Err(Problem::invalid(detail, vec![error]))
}

/// The rule as it is after a write.
async fn written(call: &Call, made: &Made, name: &Name) -> Reply {
    let revision = &made.revision;
    let Some(rule) = revision.set.rules.get(name) else {
        // It was there when it was written, and has been taken away since.
        return made.reply(call, json!({ "name": name.as_str() })).await;
    };
    let mut body = of(revision, rule);
    if let Value::Object(members) = &mut body {
        let warnings = change::warnings(&revision.set, &|at| is_about(at, name));
        members.insert("warnings".to_owned(), warnings.into());
    }
    let version = version(revision, rule).unwrap_or(RevisionNumber::ZERO);
    made.reply(call, body).await.etag(version)
}

fn is_about(at: &Locus, name: &Name) -> bool {
    matches!(at, Locus::Rule { name: named, .. } if named == name)
}

pub(super) async fn read(call: Call) -> Outcome {
    let head = call.latest().await?;
    let rule = found(&head.set, call.in_path("id"))?;
    let version = version(&head, rule).unwrap_or(RevisionNumber::ZERO);
    if etag::has(&call.headers, version) {
        return Ok(Reply::not_modified().etag(version).revision(head.number));
    }
    let reply = Reply::json(&of(&head, rule));
    Ok(reply.etag(version).revision(head.number))
}

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
        "rules": page.iter().map(|rule| of(&head, rule)).collect::<Vec<Value>>(),
        "next_cursor": next,
        "revision": head.number.get(),
        "demo": is_demo,
        "note": is_demo.then_some(DEMO),
    });
    Ok(Reply::json(&body).revision(head.number))
}

const DEMO: &str = "demonstration rules are in force, which are not stored: the first rule that is \
                    written takes their place";

/// What a rule must be to be listed. What is not asked for does not matter.
#[derive(Debug)]
pub(super) struct Filter<'p> {
    params: &'p Params,
    path: Option<Path<'p>>,
    text: Option<String>,
}

impl<'p> Filter<'p> {
    pub(super) fn new(params: &'p Params) -> Self {
        let path = params.text("endpoint").and_then(|text| Path::new(text).ok());
        let text = params.text("q").map(str::to_lowercase);
        Self { params, path, text }
    }

    pub(super) fn keeps(&self, rule: &Rule) -> bool {
        let matches = &rule.matches;
        let asked = |name: &str, is: &dyn Fn(&str) -> bool| self.params.text(name).is_none_or(is);
        let names = |values: &[Arc<str>], wanted: &str| values.iter().any(|it| **it == *wanted);
        asked("tier", &|tier| matches.tiers.iter().any(|it| it.as_str() == tier))
            && asked("endpoint", &|given| self.is_about(rule, given))
            && asked("user", &|user| names(&matches.users, user))
            && asked("org", &|org| names(&matches.orgs, org))
            && asked("action", &|action| rule.action.word() == action)
            && self.params.truth("enabled").is_none_or(|is| rule.enabled == is)
            && asked("owner", &|owner| rule.owner.as_deref() == Some(owner))
            && asked("name", &|name| rule.name.as_str().starts_with(name))
            && self.text.as_deref().is_none_or(|text| holds(rule, text))
    }

    fn is_about(&self, rule: &Rule, given: &str) -> bool {
        let Some(pattern) = &rule.matches.endpoint else {
            return false;
        };
        let path = self.path.as_ref().map(Path::as_str);
        pattern.as_str() == given || path.is_some_and(|path| pattern.matches(path))
    }
}

/// Whether a text of the rule holds this, which is in lower case.
fn holds(rule: &Rule, text: &str) -> bool {
    let endpoint = rule.matches.endpoint.as_ref().map(|it| it.as_str());
    let texts = [
        Some(rule.name.as_str()),
        endpoint,
        rule.owner.as_deref(),
        rule.reason.as_deref(),
        rule.response.message.as_deref(),
    ];
    let mut texts = texts.into_iter().flatten();
    texts.any(|it| it.to_lowercase().contains(text))
}

/// The members that we add to what was written. A client may send them back; they are not read.
pub(in super::super) const OURS: &[&str] = &[
    "version",
    "created_at",
    "created_by",
    "updated_at",
    "updated_by",
    "revision",
    "changed",
    "warnings",
    "nodes",
];

/// The rule, with its version and who wrote it.
pub(super) fn of(revision: &Revision, rule: &Rule) -> Value {
    let mut json = document::rule_json(rule);
    stamped(&mut json, revision.rule_stamp(&rule.name));
    json
}

/// Adds who wrote something, and when.
pub(in super::super) fn stamped(json: &mut Value, stamp: Option<&Stamp>) {
    let Value::Object(members) = json else {
        return;
    };
    let version = stamp.map_or(RevisionNumber::ZERO, |stamp| stamp.version);
    members.insert("version".to_owned(), json!(version.get()));
    if let Some(stamp) = stamp {
        for (name, mark) in [("created", &stamp.created), ("updated", &stamp.updated)] {
            members.insert(format!("{name}_at"), when::shown(mark.at).into());
            members.insert(format!("{name}_by"), (*mark.by).into());
        }
    }
}

/// The version of a rule.
pub(super) fn version(revision: &Revision, rule: &Rule) -> Option<RevisionNumber> {
    revision.rule_stamp(&rule.name).map(|stamp| stamp.version)
}

/// The rule of this id, or else of this name.
pub(super) fn found<'s>(set: &'s RuleSet, wanted: &str) -> Result<&'s Arc<Rule>, Problem> {
    let id = u128::from_str_radix(&wanted.replace('-', ""), 16);
    let by_id = id.ok().and_then(|id| {
        let mut rules = set.rules.values();
        rules.find(|rule| rule.id.get() == id)
    });
    let rule = by_id.or_else(|| set.rules.get(wanted));
    rule.ok_or_else(|| {
        let wanted: String = wanted.chars().take(128).collect();
        Problem::not_found(format!("there is no rule with the id or name {wanted:?}"))
    })
}
