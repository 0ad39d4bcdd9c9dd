//! `/ratelimit/tiers`

use serde_json::{Value, json};
use tollgate_catalog::{Edit, Expect, Revision, RevisionNumber, Step};
use tollgate_rules::{Name, Tier, document};
use tollgate_wire::admin::{with_text, without};

use super::{
    call::Call,
    change::{self, Change, Twice},
    etag, fits,
    problem::Problem,
    reply::Reply,
    route::{Kind, Outcome, Param, Route, Shape, Told, Verb, header, path, query},
    rules::{OURS, stamped},
    shared::{
        DRY_RUN, IF_MATCH, IF_NONE_MATCH, NOT_MODIFIED, WAIT, WRITER, json_of, tier_example,
        versioned,
    },
    tier, trouble,
};
use crate::authority::Permission;

const ONE: &str = "/ratelimit/tiers/{name}";

const NAME: &[Param] =
    &[path("name", Kind::Text(512), "The tier's name, with `/` written as `%2F`")];

const IF_NEW: &[Param] = &[header("If-None-Match", "`*` creates a tier that is not there yet")];

const FORCE: &[Param] = &[query(
    "force",
    Kind::Truth,
    "Take it away although API keys and quotas have it: they have the default tier then",
)];

pub(super) const ROUTES: &[Route] = &[
    Route {
        verb: Verb::Get,
        path: "/ratelimit/tiers",
        name: "listTiers",
        about: "All tiers, by name, and which one requests have that state none",
        permission: Permission::Read,
        params: &[],
        body: None,
        replies: &[json_of(200, "The tiers", "TierList")],
        problems: &[],
        handler: |call| Box::pin(list(call)),
    },
    Route {
        verb: Verb::Get,
        path: ONE,
        name: "readTier",
        about: "One tier",
        permission: Permission::Read,
        params: &[NAME, IF_NONE_MATCH],
        body: None,
        replies: &[versioned(200, "The tier", "StoredTier"), NOT_MODIFIED],
        problems: &[(404, "There is no such tier")],
        handler: |call| Box::pin(read(call)),
    },
    Route {
        verb: Verb::Put,
        path: ONE,
        name: "writeTier",
        about: "Create a tier (If-None-Match: *), or put another in its place (If-Match)",
        permission: Permission::Rules,
        params: &[NAME, IF_MATCH, IF_NEW, DRY_RUN, WAIT, WRITER],
        body: Some(Shape { schema: "Tier", example: tier_example }),
        replies: &[
            versioned(200, "The tier as it is now", "WrittenTier"),
            versioned(201, "The new tier", "WrittenTier"),
        ],
        problems: &[
            (409, "The tier exists already, or a file owns the rules"),
            (412, "Somebody else was faster; the difference is in the body"),
            (422, "The tier is not sound; every error is named"),
            (428, "If-Match is missing"),
        ],
        handler: |call| Box::pin(write(call)),
    },
    Route {
        verb: Verb::Delete,
        path: ONE,
        name: "deleteTier",
        about: "Take a tier away that nothing names",
        permission: Permission::Rules,
        params: &[NAME, IF_MATCH, FORCE, DRY_RUN, WAIT, WRITER],
        body: None,
        replies: &[Told {
            headers: &["Tollgate-Revision"],
            ..versioned(200, "The tier is gone", "Removed")
        }],
        problems: &[
            (404, "There is no such tier"),
            (409, "A file owns the rules"),
            (412, "Somebody else was faster; the difference is in the body"),
            (422, "A rule still names the tier, or keys and quotas have it"),
            (428, "If-Match is missing"),
        ],
        handler: |call| Box::pin(remove(call)),
    },
];

async fn list(call: Call) -> Outcome {
    let head = call.latest().await?;
    let tiers = head.set.tiers.values().map(|tier| view(&head, tier));
    let body = json!({
        "tiers": tiers.collect::<Vec<Value>>(),
        "default_tier": head.set.default_tier.as_str(),
        "revision": head.number.get(),
    });
    Ok(Reply::json(&body).revision(head.number))
}

async fn read(call: Call) -> Outcome {
    let head = call.latest().await?;
    let tier = found(&head, call.in_path("name"))?;
    let version = version(&head, &tier.name);
    if etag::has(&call.headers, version) {
        return Ok(Reply::not_modified().etag(version).revision(head.number));
    }
    let reply = Reply::json(&view(&head, tier));
    Ok(reply.etag(version).revision(head.number))
}

async fn write(call: Call) -> Outcome {
    call.needs_ownership()?;
    let tier = sent(&call)?;
    let head = call.latest().await?;
    let is_there = head.set.tiers.contains_key(&tier.name);
    let expect = match etag::wants_new(&call.headers) {
        true => Expect::Absent,
        false => {
            let found = is_there.then(|| version(&head, &tier.name));
            etag::expected(&call.headers, &format!("tier {}", tier.name), found)?
        }
    };
    if !is_there && expect == Expect::Any {
        return Err(unknown(tier.name.as_str()));
    }
    let name = tier.name.clone();
    let edit = Edit::new(call.author()).step(Step::Tier(tier), expect);
    match change::make(&call, edit, Twice::Fine).await? {
        Change::Dry(dry) => Ok(dry.reply(&|_| false)),
        Change::Made(made) => {
            let revision = &made.revision;
            let body = match revision.set.tiers.get(&name) {
                Some(tier) => view(revision, tier),
                None => json!({ "name": name.as_str() }),
            };
            let reply = made.reply(&call, body).await.etag(version(revision, &name));
            let is_new = expect == Expect::Absent && made.is_new();
            Ok(match is_new {
                true => reply.created(format!("/ratelimit/tiers/{name}")),
                false => reply,
            })
        }
    }
}

async fn remove(call: Call) -> Outcome {
    call.needs_ownership()?;
    let head = call.latest().await?;
    let name = found(&head, call.in_path("name"))?.name.clone();
    let seen = Some(version(&head, &name));
    let expect = etag::expected(&call.headers, &format!("tier {name}"), seen)?;
    tier::unused(&call, &name).await?;
    let edit = Edit::new(call.author()).step(Step::RemoveTier(name.clone()), expect);
    match change::make(&call, edit, Twice::Conflict).await? {
        Change::Dry(dry) => Ok(dry.reply(&|_| false)),
        Change::Made(made) => Ok(made.reply(&call, json!({ "name": name.as_str() })).await),
    }
}

/// The tier that was sent; its name is in the path and may stand in the body too.
fn sent(call: &Call) -> Result<Tier, Problem> {
    let given = call.in_path("name");
    let name: Result<Name, _> = given.parse();
    let name = name.map_err(|error| Problem::bad(error.to_string()))?;
    let text = without(&call.body, OURS);
    let text = without(&text, &["is_default"]);
    let text = with_text(&text, "name", name.as_str());
    let tier = document::read_tier(&text).map_err(|report| trouble::refused(&report))?;
    fits::tier(call, &tier)?;
    if tier.name != name {
        let detail = format!("a tier keeps its name: the path says {name}, the body {}", tier.name);
        let error = json!({ "severity": "error", "path": "name", "message": detail });
        return Err(Problem::invalid(detail, vec![error]));
    }
    Ok(tier)
}

fn view(revision: &Revision, tier: &Tier) -> Value {
    let mut json = document::tier_json(tier);
    stamped(&mut json, revision.tier_stamp(&tier.name));
    if let Value::Object(members) = &mut json {
        let is_default = revision.set.default_tier == tier.name;
        members.insert("is_default".to_owned(), json!(is_default));
    }
    json
}

/// The tiers everything begins with are at version 0.
fn version(revision: &Revision, name: &Name) -> RevisionNumber {
    let stamp = revision.tier_stamp(name);
    stamp.map_or(RevisionNumber::ZERO, |stamp| stamp.version)
}

fn found<'r>(revision: &'r Revision, name: &str) -> Result<&'r Tier, Problem> {
    revision.set.tiers.get(name).ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> Problem {
    let name: String = name.chars().take(128).collect();
    Problem::not_found(format!(
        "there is no tier {name:?}: create it with PUT and If-None-Match: *"
    ))
}
