//! Tests that are written beside the rules: requests on virtual time, and what must become of them.

use std::{collections::BTreeMap, sync::Arc};

use tollgate_core::{Cost, Micros, Timestamp};

use crate::{Name, Query, QueryError, Scope};

/// One test: steps on fresh counters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trial {
    /// What it shows.
    pub name: Arc<str>,
    /// When it begins.
    pub start: Timestamp,
    /// What happens, in order of time.
    pub steps: Vec<Step>,
    /// The line of the file it is on.
    pub line: usize,
}

impl Trial {
    /// The most tests in a file.
    pub const COUNT_MAX: usize = 10_000;
    /// The most steps of a test.
    pub const STEPS_MAX: usize = 10_000;
    /// When a test begins that does not say: 2026-01-01T00:00:00Z.
    pub const START: Timestamp = Timestamp::from_secs(1_767_225_600);
}

/// A request, made once or several times at one moment, and what must become of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// How long after the test's start.
    pub at: Micros,
    /// Who asks for what.
    pub request: Facts,
    /// How many times; what is expected is expected of each.
    pub times: u32,
    /// Whether it passes.
    pub expect: Expect,
    /// The rule that decides, if the test says.
    pub rule: Option<ExpectRule>,
    /// What remains after the last time, if the test says.
    pub remaining: Option<u64>,
    /// The exact wait, if the test says; [`Micros::MAX`] where waiting never helps.
    pub retry_after: Option<Micros>,
    /// The status of a denial, if the test says.
    pub status: Option<u16>,
    /// The line of the file it is on.
    pub line: usize,
}

impl Step {
    /// The most times a request may be made in one step.
    pub const TIMES_MAX: u32 = 1_000_000;
}

/// Whether a request must pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expect {
    /// It must.
    Allow,
    /// It must not.
    Deny,
}

/// Which rule must decide.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExpectRule {
    /// None: nothing may match.
    Nothing,
    /// This one.
    Rule(Name),
    /// The default limits of this tier.
    Tier(Name),
}

/// The facts of a request, owned. Every one is optional.
///
/// ```
/// use tollgate_rules::Facts;
///
/// let mut facts = Facts::default();
/// facts.user = Some("alice".into());
/// assert_eq!(facts.query()?.user_name(), Some("alice"));
/// # Ok::<(), tollgate_rules::QueryError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// The user.
    pub user: Option<Arc<str>>,
    /// The organisation.
    pub org: Option<Arc<str>>,
    /// The id of the API key.
    pub api_key: Option<Arc<str>>,
    /// The client's address.
    pub ip: Option<Arc<str>>,
    /// The tier.
    pub tier: Option<Arc<str>>,
    /// The path.
    pub endpoint: Option<Arc<str>>,
    /// The method.
    pub method: Option<Arc<str>>,
    /// The region.
    pub region: Option<Arc<str>>,
    /// The attributes.
    pub attributes: BTreeMap<Arc<str>, Arc<str>>,
    /// The Envoy descriptor, entry by entry.
    pub descriptor: Option<Vec<(Arc<str>, Arc<str>)>>,
    /// The cost the caller states.
    pub cost: Option<Cost>,
    /// The scope, if only some throttles are asked for.
    pub scope: Option<Scope>,
}

impl Facts {
    /// The facts as a query.
    ///
    /// # Errors
    ///
    /// [`QueryError`] for facts that no request can have.
    pub fn query(&self) -> Result<Query<'_>, QueryError> {
        let mut query = Query::new()
            .user(text(self.user.as_ref()))?
            .org(text(self.org.as_ref()))?
            .api_key(text(self.api_key.as_ref()))?
            .ip(text(self.ip.as_ref()))?
            .tier(text(self.tier.as_ref()))?
            .endpoint(text(self.endpoint.as_ref()))?
            .method(text(self.method.as_ref()))?
            .region(text(self.region.as_ref()))?;
        for (name, value) in &self.attributes {
            query = query.attribute(name, value)?;
        }
        if let Some(entries) = &self.descriptor {
            let entries: Vec<(&str, &str)> =
                entries.iter().map(|(key, value)| (&**key, &**value)).collect();
            query = query.descriptor(&entries)?;
        }
        if let Some(cost) = self.cost {
            query = query.cost(cost);
        }
        if let Some(scope) = self.scope {
            query = query.scope(scope);
        }
        Ok(query)
    }
}

/// A missing fact is an empty one.
fn text(fact: Option<&Arc<str>>) -> &str {
    fact.map(|fact| &**fact).unwrap_or_default()
}
