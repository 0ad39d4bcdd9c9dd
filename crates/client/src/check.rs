//! What is asked.

use std::borrow::Cow;

use tollgate_wire::check::{ATTRIBUTES_MAX, CheckBody};

use crate::{Error, Fault};

/// The bytes of one fact: a token is the longest that makes sense.
const FACT_BYTES_MAX: usize = 16 * 1024;
/// The bytes of all of them.
const FACTS_BYTES_MAX: usize = 64 * 1024;

/// One question: the facts of a request, and what it weighs. What the server does not need for its rules can
/// be left out; at least one fact is needed.
///
/// ```
/// use tollgate_client::Check;
///
/// let check = Check::new().user("ann").endpoint("/search").method("GET").cost(3);
/// assert!(format!("{check:?}").contains("/search"));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Check<'a> {
    pub(crate) body: CheckBody<'a>,
}

macro_rules! facts {
    ($($(#[$doc:meta])* $name:ident => $field:ident;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: impl Into<Cow<'a, str>>) -> Self {
            self.body.$field = Some($name.into());
            self
        }
    )*};
}

impl<'a> Check<'a> {
    /// A question without facts.
    pub fn new() -> Self {
        Self::default()
    }

    facts! {
        /// Who asks. The server believes it of callers that it trusts: see [`Builder::token`](crate::Builder::token).
        user => user_id;
        /// For which organisation.
        org => org_id;
        /// With which API key.
        api_key => api_key;
        /// With which JSON Web Token; the server verifies it.
        token => token;
        /// From which address.
        ip => ip;
        /// Of which tier.
        tier => tier;
        /// For which path.
        endpoint => endpoint;
        /// By which method.
        method => method;
        /// In which region.
        region => region;
        /// Only rules keyed by this: user, org, ip, api_key, tier, endpoint or global.
        scope => scope;
        /// A name under which the question can be asked again without being charged twice. With one, a call that
        /// failed half-way is tried again within its deadline.
        request_id => request_id;
    }

    /// Something else that is known.
    #[must_use]
    pub fn attribute(
        mut self,
        name: impl Into<Cow<'a, str>>,
        value: impl Into<Cow<'a, str>>,
    ) -> Self {
        self.body.attributes.push((name.into(), value.into()));
        self
    }

    /// How much the request weighs; 1 unless said.
    #[must_use]
    pub fn cost(mut self, cost: u64) -> Self {
        self.body.cost = Some(cost);
        self
    }

    /// What no server would take is not sent: it could break off the calls of others on the same connection.
    pub(crate) fn is_sound(&self) -> Result<(), Error> {
        let wrong = |detail: String| Err(Error::new(Fault::Question, detail));
        let body = &self.body;
        if body.attributes.len() > ATTRIBUTES_MAX {
            return wrong(format!("there are more than {ATTRIBUTES_MAX} attributes"));
        }
        let attributes = body.attributes.iter();
        let attributes = attributes
            .flat_map(|(name, value)| [("attributes", &**name), ("attributes", &**value)]);
        let mut bytes = 0;
        for (name, fact) in body.texts().chain(attributes) {
            if fact.len() > FACT_BYTES_MAX {
                return wrong(format!("`{name}` has more than {FACT_BYTES_MAX} bytes"));
            }
            bytes += fact.len();
        }
        if bytes > FACTS_BYTES_MAX {
            return wrong(format!("the facts have more than {FACTS_BYTES_MAX} bytes together"));
        }
        Ok(())
    }

    /// How many bytes it takes to ask, roughly, and rather too many.
    pub(crate) fn bytes(&self) -> usize {
        let body = &self.body;
        let texts = body.texts().map(|(name, text)| name.len() + escaped(text) + 6);
        let attributes = body.attributes.iter();
        let attributes = attributes.map(|(name, value)| escaped(name) + escaped(value) + 24);
        texts.chain(attributes).sum()
    }

    /// Whether it has a name.
    pub(crate) fn is_named(&self) -> bool {
        let name = self.body.request_id.as_deref();
        name.is_some_and(|name| !name.is_empty())
    }

    /// An attribute, as the server reads it: of several the last.
    pub(crate) fn attribute_value(&self, name: &str) -> Option<&str> {
        let mut attributes = self.body.attributes.iter();
        let named = attributes.rfind(|(known, _)| known == name);
        named.map(|(_, value)| &**value)
    }

    /// The cost in force.
    pub(crate) fn weight(&self) -> u64 {
        self.body.cost.unwrap_or(1)
    }
}

/// The length of a text in JSON.
fn escaped(text: &str) -> usize {
    let length = |byte: u8| match byte {
        b'"' | b'\\' => 2,
        0..0x20 => 6,
        _ => 1,
    };
    text.bytes().map(length).sum()
}

/// API keys and tokens are secrets: only that there is one is shown.
impl std::fmt::Debug for Check<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let body = &self.body;
        let mut shown = f.debug_struct("Check");
        let facts = [
            ("user", &body.user_id),
            ("org", &body.org_id),
            ("ip", &body.ip),
            ("tier", &body.tier),
            ("endpoint", &body.endpoint),
            ("method", &body.method),
            ("region", &body.region),
            ("scope", &body.scope),
            ("request_id", &body.request_id),
        ];
        for (name, fact) in facts {
            if let Some(fact) = fact {
                shown.field(name, fact);
            }
        }
        for (name, secret) in [("api_key", &body.api_key), ("token", &body.token)] {
            if secret.is_some() {
                shown.field(name, &"(secret)");
            }
        }
        if !body.attributes.is_empty() {
            shown.field("attributes", &body.attributes.len());
        }
        shown.field("cost", &self.weight()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever asks about many counts on that.
    #[test]
    fn a_check_is_never_longer_than_it_is_taken_for() {
        for text in ["plain", "\"quoted\\\"", "\u{1}\u{2}\n\t", "gr\u{fc}\u{df}e"] {
            let text = text.repeat(50);
            let check = Check::new().user(&*text).endpoint(&*text);
            let check = check.attribute(&*text, &*text);
            let mut written = Vec::new();
            check.body.write(&mut written);
            assert!(written.len() <= check.bytes(), "{text:?}");
        }
    }
}
