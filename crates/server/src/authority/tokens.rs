//! The tokens that were issued, found by what they hash to.

use std::{collections::HashMap, fmt, sync::Arc};

use arc_swap::ArcSwap;
use tollgate_catalog::{EntryBody, EntryDelta, Issuer, Lineage, Scope, StoredEntry, TokenBody};
use tollgate_core::Timestamp;
use tollgate_rules::KeyDigest;

use super::{Actor, Permission, Proof, Refused, Role, actor::CONFIGURED};
use crate::first_token;

/// All tokens that were issued.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    known: ArcSwap<Known>,
}

/// Tokens by id, and where to find one that is shown.
#[derive(Clone, Debug, Default)]
struct Known {
    by_digest: HashMap<KeyDigest, Arc<Card>>,
    by_id: HashMap<Arc<str>, KeyDigest>,
    /// The ids of a whole list while its pages come in: the rest is gone.
    arriving: Option<Vec<Arc<str>>>,
}

/// One token, without the token.
#[derive(Debug)]
pub(super) struct Card {
    /// Nobody has a role that this release does not know.
    actor: Option<Actor>,
    name: Arc<str>,
    expires_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
}

impl Card {
    fn new(entry: &StoredEntry, body: &TokenBody) -> Self {
        let role: Option<Role> = body.role.parse().ok();
        let scopes = body.scopes.as_ref().map(|scopes| {
            // What this release does not know it cannot allow.
            let known = scopes.iter().filter_map(|scope| scope.parse().ok());
            known.collect::<Arc<[Permission]>>()
        });
        let actor = role.map(|role| Actor {
            name: Arc::clone(&body.name),
            role,
            scopes,
            proof: Proof::Issued,
            line: line(entry, body),
            issued_at: Some(entry.created.0),
        });
        Self {
            actor,
            name: Arc::clone(&body.name),
            expires_at: body.expires_at,
            revoked_at: body.revoked_at,
        }
    }

    /// Whose it is, also if it does not open anything any more.
    pub(super) const fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The role of whoever has it.
    pub(super) fn role(&self) -> Option<Role> {
        self.actor.as_ref().map(|actor| actor.role)
    }

    /// Who shows it, if it still counts.
    pub(super) fn actor(&self, now: Timestamp) -> Result<Actor, Refused> {
        if self.revoked_at.is_some() {
            return Err(Refused::Revoked);
        }
        if self.expires_at.is_some_and(|end| end <= now) {
            return Err(Refused::Expired);
        }
        self.actor.clone().ok_or(Refused::Wrong)
    }
}

/// The line of a token, which ends with it.
fn line(entry: &StoredEntry, body: &TokenBody) -> Lineage {
    let issued_by = &*entry.created.1;
    if *body.name == *first_token::NAME && issued_by == first_token::ISSUED_BY {
        return Lineage::root(Issuer::FirstStart);
    }
    let id = Arc::clone(&entry.id);
    if let Some(issuers) = &body.issuers {
        return issuers.then(Issuer::Token(id));
    }
    // Names of admins are free again once their token is revoked, so for tokens from before issuers went on record only
    // names count that no admin ever has.
    let issuers = match issued_by {
        CONFIGURED => Lineage::root(Issuer::Start),
        first_token::NAME => Lineage::root(Issuer::FirstStart),
        _ => Lineage::unknown(),
    };
    issuers.then(Issuer::OlderToken(id))
}

impl Tokens {
    /// The token that hashes to this.
    pub(super) fn find(&self, digest: &KeyDigest) -> Option<Arc<Card>> {
        self.known.load().by_digest.get(digest).map(Arc::clone)
    }

    /// Whether none was ever issued.
    pub(super) fn is_empty(&self) -> bool {
        self.known.load().by_id.is_empty()
    }

    /// Takes a page of what changed. If another thread does the same meanwhile, neither page is lost.
    pub(super) fn take(&self, delta: &EntryDelta) {
        self.known.rcu(|known| known.with(delta));
    }
}

impl Known {
    /// The same, with a page of what changed.
    fn with(&self, delta: &EntryDelta) -> Self {
        let mut known = self.clone();
        if delta.is_first {
            known.arriving = (delta.scope == Scope::Everything).then(Vec::new);
        }
        for entry in &delta.entries {
            if let EntryBody::Token(body) = &entry.body {
                known.put(entry, body);
            }
        }
        if delta.is_last
            && let Some(all) = known.arriving.take()
        {
            known.keep(&all);
        }
        known
    }

    fn put(&mut self, entry: &StoredEntry, body: &TokenBody) {
        if let Some(former) = self.by_id.remove(&entry.id) {
            self.by_digest.remove(&former);
        }
        if entry.is_gone {
            return;
        }
        if let Some(arriving) = &mut self.arriving {
            arriving.push(Arc::clone(&entry.id));
        }
        self.by_id.insert(Arc::clone(&entry.id), body.digest);
        let card = Arc::new(Card::new(entry, body));
        self.by_digest.insert(body.digest, card);
    }

    fn keep(&mut self, all: &[Arc<str>]) {
        let all: std::collections::HashSet<&Arc<str>> = all.iter().collect();
        let by_digest = &mut self.by_digest;
        self.by_id.retain(|id, digest| {
            let stays = all.contains(id);
            if !stays {
                by_digest.remove(digest);
            }
            stays
        });
    }
}

/// A secret that is shown by whoever may do more than ask.
#[derive(Clone)]
pub struct Token(Arc<str>);

impl Token {
    /// The fewest characters: what is shorter is guessed.
    pub const CHARS_MIN: usize = 16;

    /// The token of this text, if it is long enough and can stand in a header.
    pub fn new(text: &str) -> Option<Self> {
        let is_sound =
            text.len() >= Self::CHARS_MIN && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_sound.then(|| Self(text.into()))
    }

    /// Takes as long for a near miss as for a wild guess.
    pub(crate) fn is(&self, shown: &str) -> bool {
        let (ours, theirs) = (self.0.as_bytes(), shown.as_bytes());
        let differing = ours.iter().zip(theirs).fold(0, |differing, (a, b)| differing | (a ^ b));
        ours.len() == theirs.len() && std::hint::black_box(differing) == 0
    }
}

/// Never shown.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}
