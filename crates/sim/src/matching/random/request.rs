//! Random requests.

use tollgate_core::{Cost, Timestamp};
use tollgate_rules::{Query, QueryError, Scope};

use super::{spelling, words};
use crate::Rng;

/// A fact, and how a client happened to write it; nothing is a fact that is missing.
#[derive(Clone, Debug, Default)]
struct Fact {
    plain: &'static str,
    sent: String,
}

/// A request: its facts, and the moment.
#[derive(Clone, Debug)]
pub struct Request {
    user: Fact,
    org: Fact,
    api_key: Fact,
    tier: Fact,
    region: Fact,
    ip: Fact,
    path: Fact,
    method: Fact,
    attributes: Vec<(&'static str, Fact)>,
    descriptor: Option<Vec<(&'static str, &'static str)>>,
    cost: Option<Cost>,
    scope: Option<Scope>,
    /// When it comes.
    pub wall: Timestamp,
}

/// Which way of writing a query is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// The one and only.
    Plain,
    /// The one the client chose.
    AsSent,
}

type Spell = fn(&mut Rng, &str) -> String;

impl Request {
    /// Any request.
    pub fn new(rng: &mut Rng) -> Self {
        Self {
            user: fact(rng, &words::USERS, spelling::identifier),
            org: fact(rng, &words::ORGS, spelling::identifier),
            api_key: fact(rng, &words::API_KEYS, spelling::identifier),
            tier: tier(rng),
            region: fact(rng, &words::REGIONS, spelling::identifier),
            ip: fact(rng, &words::ADDRESSES, spelling::address),
            path: fact(rng, &words::PATHS, spelling::path),
            method: fact(rng, &words::METHODS, spelling::method),
            attributes: attributes(rng),
            descriptor: descriptor(rng),
            cost: cost(rng),
            scope: rng.one_in(4).then(|| rng.pick(&Scope::ALL)),
            wall: rng.pick(&words::MOMENTS),
        }
    }

    /// The request as a query.
    ///
    /// # Errors
    ///
    /// None; a refusal would be a bug in the normal forms.
    pub fn query(&self, spelling: Spelling) -> Result<Query<'_>, QueryError> {
        let mut query = Query::new()
            .user(self.user.written(spelling))?
            .org(self.org.written(spelling))?
            .api_key(self.api_key.written(spelling))?
            .tier(self.tier.written(spelling))?
            .region(self.region.written(spelling))?
            .ip(self.ip.written(spelling))?
            .endpoint(self.path.written(spelling))?
            .method(self.method.written(spelling))?;
        for (name, value) in &self.attributes {
            query = query.attribute(name, value.written(spelling))?;
        }
        if let Some(entries) = &self.descriptor {
            query = query.descriptor(entries)?;
        }
        if let Some(cost) = self.cost {
            query = query.cost(cost);
        }
        Ok(match self.scope {
            Some(scope) => query.scope(scope),
            None => query,
        })
    }
}

impl Fact {
    fn written(&self, spelling: Spelling) -> &str {
        match spelling {
            Spelling::Plain => self.plain,
            Spelling::AsSent => &self.sent,
        }
    }
}

fn fact(rng: &mut Rng, from: &[&'static str], spell: Spell) -> Fact {
    if rng.one_in(4) {
        return Fact::default();
    }
    let plain = rng.pick(from);
    let sent = spell(rng, plain);
    Fact { plain, sent }
}

fn tier(rng: &mut Rng) -> Fact {
    match rng.below(12) {
        0 => Fact { plain: words::GHOST_TIER, sent: words::GHOST_TIER.to_owned() },
        _ => fact(rng, &words::TIERS, spelling::identifier),
    }
}

fn attributes(rng: &mut Rng) -> Vec<(&'static str, Fact)> {
    let mut attributes = Vec::new();
    for name in words::ATTRIBUTES {
        attributes.push((name, fact(rng, &words::VALUES, spelling::identifier)));
    }
    attributes
}

fn descriptor(rng: &mut Rng) -> Option<Vec<(&'static str, &'static str)>> {
    if !rng.one_in(3) {
        return None;
    }
    let count = rng.between(0, 3);
    let entries = (0..count).map(|_| (rng.pick(&words::ENTRIES), rng.pick(&words::ENTRIES)));
    Some(entries.collect())
}

fn cost(rng: &mut Rng) -> Option<Cost> {
    let stated = [0, 1, 7, u64::MAX];
    rng.one_in(3).then(|| Cost::new(rng.pick(&stated)))
}
