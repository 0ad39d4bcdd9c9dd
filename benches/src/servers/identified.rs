//! The same questions over HTTP: with stated facts, with an API key, with a token.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use anyhow::Context as _;
use jsonwebtoken::{EncodingKey, Header};
use serde_json::{Value, json};

use super::{contest::Stage, script::Script, shape::Shape, tollgate::Ours};
use crate::{depth::Depth, rules::Asked};

/// Decisions per second of somebody who is identified, beside those of somebody whose facts are stated.
#[derive(Debug)]
pub(crate) struct Identified {
    pub(crate) what: &'static str,
    pub(crate) pipeline: usize,
    pub(crate) rate: f64,
    pub(crate) stated: f64,
}

const STATED: &str = "stated facts";
const BY_KEY: &str = "API key";
const BY_TOKEN: &str = "JWT, seen before";
const BY_NEW_TOKEN: &str = "JWT, new each time";
/// So many who ask, one after the other.
const PEOPLE: usize = 256;
/// More tokens than are remembered.
const NEW_TOKENS: usize = 60_000;
const REQUESTS: usize = 4_096;
const SECRET: &str = "a secret that is long enough for this";

pub(crate) fn identified(depth: Depth) -> anyhow::Result<Vec<Identified>> {
    let folder = tempfile::tempdir()?;
    let secret = folder.path().join("jwt-secret");
    fs::write(&secret, SECRET)?;
    let secret = secret.display().to_string();
    let flags = ["--jwt-algorithms", "HS256", "--jwt-secret-file", &secret];
    let ours = Ours::start_in(folder, &flags)?;
    let keys = keys(ours.admin)?;
    let tokens: Vec<String> = (0..PEOPLE).map(|person| token(person, 0)).collect();
    let people = |each: &dyn Fn(usize) -> String| {
        Script::posts(REQUESTS, "/ratelimit/check", |number| each(number % PEOPLE))
    };
    let new_tokens = depth.pick(REQUESTS, NEW_TOKENS);
    let scripts = [
        (STATED, people(&|person| body(person, &stated(person)))),
        (BY_KEY, people(&|person| body(person, &json!({ "api_key": keys[person] })))),
        (BY_TOKEN, people(&|person| body(person, &json!({ "token": tokens[person] })))),
        (
            BY_NEW_TOKEN,
            Script::posts(new_tokens, "/ratelimit/check", |number| {
                let person = number % PEOPLE;
                body(person, &json!({ "token": token(person, number) }))
            }),
        ),
    ];
    let mut found = Vec::new();
    for pipeline in [1, 16] {
        let mut stage = Stage::default();
        for (who, script) in &scripts {
            stage.enter(who, ours.http, script.clone(), usize::MAX);
        }
        let contest = stage.play(Shape::Http(pipeline), depth, &ours)?;
        let rate = |who: &str| contest.of(who).map_or(f64::NAN, |measured| measured.rate);
        found.extend(scripts.iter().map(|(what, _)| Identified {
            what,
            pipeline,
            rate: rate(what),
            stated: rate(STATED),
        }));
    }
    Ok(found)
}

/// Who asks, and of which tier.
fn stated(person: usize) -> Value {
    let facts = Asked::new(person % 200).facts(person);
    let mut facts = facts.into_iter().filter(|(field, _)| *field == "user_id");
    json!({ "user_id": facts.next().map(|(_, user)| user), "tier": "free" })
}

/// What is asked for, by whom.
fn body(person: usize, who: &Value) -> String {
    let facts = Asked::new(person % 200).facts(person);
    let mut body = who.as_object().cloned().unwrap_or_default();
    for (field, value) in facts {
        if field != "user_id" {
            body.insert(field.to_owned(), value.into());
        }
    }
    Value::from(body).to_string()
}

fn token(person: usize, number: usize) -> String {
    let who = stated(person);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let ends = (now + Duration::from_secs(24 * 3_600)).as_secs();
    let claims = json!({ "sub": who["user_id"], "tier": who["tier"], "exp": ends, "jti": number });
    let key = EncodingKey::from_secret(SECRET.as_bytes());
    jsonwebtoken::encode(&Header::default(), &claims, &key).expect("a token")
}

/// A key for everybody.
fn keys(admin: SocketAddr) -> anyhow::Result<Vec<String>> {
    let key = |person: usize| {
        let mut draft = stated(person);
        draft["name"] = format!("person {person}").into();
        let made = post(admin, "/ratelimit/api-keys", &draft)?;
        let key = made["key"].as_str().map(str::to_owned);
        key.with_context(|| format!("no key in {made}"))
    };
    (0..PEOPLE).map(key).collect()
}

fn post(address: SocketAddr, path: &str, body: &Value) -> anyhow::Result<Value> {
    let body = body.to_string();
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let start = answer.find('{').context("an answer without an object")?;
    Ok(serde_json::from_str(&answer[start..])?)
}
