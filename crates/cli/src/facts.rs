//! The facts of a request, as they are typed: `user_id=alice endpoint=/login`.

use std::{collections::BTreeMap, str::FromStr};

use anyhow::{bail, ensure};
use serde_json::{Map, Value, json};
use tollgate_core::Cost;
use tollgate_rules::{Query, Scope, nearest};

/// One fact, `user_id=alice`.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    name: String,
    value: String,
}

/// What can be said of a request; `attributes.NAME` besides.
const NAMES: [&str; 11] = [
    "user_id", "org_id", "api_key", "token", "ip", "tier", "endpoint", "method", "region", "cost",
    "scope",
];

const TOKEN: &str = "token";
/// What API keys begin with that this server has issued.
const API_KEY_PREFIX: &str = "tgk_";

const ATTRIBUTES: &str = "attributes.";

impl FromStr for Fact {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((name, value)) = text.split_once('=') else {
            return Err("write FIELD=VALUE, for example user_id=alice".to_owned());
        };
        // Rules say `user`, requests say `user_id`: both are taken.
        let name = match name {
            "user" => "user_id",
            "org" => "org_id",
            other => other,
        };
        let is_known = NAMES.contains(&name) || name.starts_with(ATTRIBUTES);
        if !is_known {
            let help = match nearest(name, NAMES) {
                Some(meant) => format!("did you mean {meant}?"),
                None => format!("fields are {} and attributes.NAME", NAMES.join(", ")),
            };
            return Err(format!("there is no field {name:?}: {help}"));
        }
        Ok(Self { name: name.to_owned(), value: value.to_owned() })
    }
}

/// All facts of a request, each said once.
#[derive(Clone, Debug)]
pub(crate) struct Facts(BTreeMap<String, String>);

impl Facts {
    pub(crate) fn new(facts: &[Fact]) -> anyhow::Result<Self> {
        let mut all = BTreeMap::new();
        for Fact { name, value } in facts {
            if all.insert(name.clone(), value.clone()).is_some() {
                bail!("{name} is given twice: keep one of them");
            }
        }
        Ok(Self(all))
    }

    /// The body of a check.
    pub(crate) fn to_json(&self) -> anyhow::Result<Value> {
        let mut body = Map::new();
        let mut attributes = Map::new();
        for (name, value) in &self.0 {
            match (name.strip_prefix(ATTRIBUTES), name.as_str()) {
                (Some(attribute), _) => {
                    attributes.insert(attribute.to_owned(), json!(value));
                }
                (None, "cost") => {
                    body.insert(name.clone(), json!(self.cost()?.map_or(0, Cost::get)));
                }
                _ => {
                    body.insert(name.clone(), json!(value));
                }
            }
        }
        if !attributes.is_empty() {
            body.insert("attributes".to_owned(), Value::Object(attributes));
        }
        Ok(Value::Object(body))
    }

    /// The body of a check whose client shows what `token` holds: an API key of this server has a field of its own.
    pub(crate) fn to_check(&self) -> anyhow::Result<Value> {
        let mut shown = self.clone();
        let is_key = |token: &&mut String| token.starts_with(API_KEY_PREFIX);
        if shown.0.get_mut(TOKEN).as_ref().is_some_and(is_key) {
            ensure!(
                !shown.0.contains_key("api_key"),
                "token holds an API key, and api_key is given too: keep one of them"
            );
            let key = shown.0.remove(TOKEN).unwrap_or_default();
            shown.0.insert("api_key".to_owned(), key);
        }
        shown.to_json()
    }

    /// The query of a path that takes facts.
    pub(crate) fn to_pairs(&self) -> anyhow::Result<Vec<(&str, &str)>> {
        for name in ["cost", "scope"] {
            if self.0.contains_key(name) {
                bail!("{name} says nothing about which counters a request has: leave it out");
            }
        }
        if self.0.contains_key(TOKEN) {
            bail!(
                "token is a secret and is not sent in a path: name the user, or the API key by its id"
            );
        }
        let pairs = self.0.iter();
        Ok(pairs.map(|(name, value)| (&**name, &**value)).collect())
    }

    /// The request, to be held against rules here.
    pub(crate) fn query(&self) -> anyhow::Result<Query<'_>> {
        let mut query = Query::new();
        for (name, value) in &self.0 {
            query = match name.as_str() {
                "user_id" => query.user(value)?,
                "org_id" => query.org(value)?,
                "api_key" => query.api_key(value)?,
                "ip" => query.ip(value)?,
                "tier" => query.tier(value)?,
                "endpoint" => query.endpoint(value)?,
                "method" => query.method(value)?,
                "region" => query.region(value)?,
                TOKEN => bail!(
                    "only a running server reads a token: leave out --rules, --database and --data, or give user_id, \
                     org_id and tier"
                ),
                "scope" => query.scope(value.parse::<Scope>()?),
                "cost" => query,
                attribute => {
                    let name = attribute.strip_prefix(ATTRIBUTES).unwrap_or_default();
                    query.attribute(name, value)?
                }
            };
        }
        let cost = self.cost()?;
        Ok(cost.into_iter().fold(query, Query::cost))
    }

    fn cost(&self) -> anyhow::Result<Option<Cost>> {
        let Some(text) = self.0.get("cost") else {
            return Ok(None);
        };
        match text.parse::<u64>() {
            Ok(cost) => Ok(Some(Cost::new(cost))),
            Err(_) => bail!("cost is {text:?}: it is a whole number, 0 or more"),
        }
    }
}
