//! The layer whose requests a server decides.

use std::{borrow::Cow, future::Future, pin::Pin, sync::Arc, time::Duration};

use tollgate::{Clock as _, Reason, SystemClock};
use tollgate_client::{Answer, BuildError, Check, Client, Error as ClientError, Fault, Source};

use super::{
    key_use::{Given, KeyUse},
    reach::Reach,
};
use crate::{
    Decide, Decided, DecidedBy, Error, Outcome, Question, Role, Step, TollgateLayer,
    decide::question::Sealed,
    key::Value,
    outcome::{Told, ToldStanding, seconds},
};

impl TollgateLayer {
    /// Decided by a server: by its address, or several with commas between them, or by a client that is set up as you
    /// like. The server is told the path, the method, and what the keys read: the client's address unless said.
    ///
    /// A key replaces the address, and is the fact that [`header`](crate::header) and the other keys say of themselves.
    /// Where the server's rules count by none of these facts, requests pass: the layer logs one warning, and
    /// [`Outcome::is_limited`] is false. It also logs once when no server answers any more, and once when one answers
    /// again.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tollgate_client::Client;
    /// use tollgate_tower::{Key as _, TollgateLayer, header, peer_ip};
    ///
    /// let layer = TollgateLayer::remote("http://tollgate:7070")?.key(header("x-api-key"));
    ///
    /// let address = String::from("http://tollgate:7070"); // from your configuration
    /// let layer = TollgateLayer::remote(&address)?.key(header("x-user").as_user().or(peer_ip()));
    ///
    /// let client = Client::builder("http://tollgate:7070").deadline(Duration::from_millis(3)).build()?;
    /// let layer = TollgateLayer::remote(client)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Server`] for an address that cannot be one.
    pub fn remote(server: impl IntoClient) -> Result<TollgateLayer<Remote>, Error> {
        let client = server.into_client()?;
        let heard = Arc::default();
        Ok(TollgateLayer::of(Remote { client, heard }))
    }
}

/// What a server can be given as.
///
/// ```
/// use tollgate_tower::IntoClient;
///
/// let client = "http://tollgate:7070".into_client()?;
/// assert_eq!(client.status().servers.len(), 1);
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
pub trait IntoClient {
    /// The client of it.
    ///
    /// # Errors
    ///
    /// [`Error::Server`] for an address that cannot be one.
    fn into_client(self) -> Result<Client, Error>;
}

impl IntoClient for &str {
    fn into_client(self) -> Result<Client, Error> {
        let wrong = |error: BuildError| Error::Server(error.to_string());
        Client::new(self).map_err(wrong)
    }
}

/// Owned and borrowed texts, as configurations have them.
macro_rules! addresses {
    ($($text:ty),*) => {
        $(impl IntoClient for $text {
            fn into_client(self) -> Result<Client, Error> {
                let text: &str = self.as_ref();
                text.into_client()
            }
        })*
    };
}

addresses!(String, &String, Box<str>, Arc<str>, Cow<'_, str>);

impl IntoClient for Client {
    fn into_client(self) -> Result<Client, Error> {
        Ok(self)
    }
}

/// A server that decides: see [`TollgateLayer::remote`].
///
/// ```
/// use tollgate_tower::{Remote, TollgateLayer};
///
/// let layer: TollgateLayer<Remote> = TollgateLayer::remote("http://tollgate:7070")?;
/// # Ok::<(), tollgate_tower::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Remote {
    client: Client,
    heard: Arc<Heard>,
}

/// What the answers to all requests of a layer and its copies say together.
#[derive(Debug, Default)]
struct Heard {
    reach: Reach,
    key_use: KeyUse,
}

impl Remote {
    /// The longest that a request is held back because a server says so. A longer delay is answered as a denial is, with
    /// 429 and the delay as `Retry-After`: a connection that is held open for an hour is no service to anybody.
    pub const DELAY_MAX: Duration = Duration::from_secs(60);
}

impl Sealed for Remote {}

impl Decide for Remote {
    type Asking = Pin<Box<dyn Future<Output = Decided> + Send>>;

    fn decide(&self, question: &Question<'_, '_>) -> Step<Self::Asking> {
        if let Some(answer) = self.client.check_now(&check(question, Cow::Borrowed)) {
            self.hear(&answer, None);
            return Step::Now(decided(Ok(answer)));
        }
        let check = check(question, |text| Cow::Owned(text.to_owned()));
        let given = self.heard.key_use.given(question.facts);
        let remote = self.clone();
        Step::Later(Box::pin(async move {
            let answer = remote.client.ask(&check).await;
            if let Ok(answer) = &answer {
                remote.hear(answer, given.as_ref());
            }
            decided(answer)
        }))
    }
}

impl Remote {
    /// Says what an answer shows that nothing else would say.
    fn hear(&self, answer: &Answer, given: Option<&Given>) {
        let source = answer.source();
        self.heard.reach.heard(source, &self.client);
        if let (Source::Server, Some(given)) = (source, given) {
            if answer.limit().is_some() || !answer.is_allowed() {
                self.heard.key_use.limited();
            } else {
                self.heard.key_use.unlimited(given);
            }
        }
    }
}

/// What is asked, each text as `text` keeps it.
fn check<'q, 'c>(question: &Question<'q, '_>, text: impl Fn(&'q str) -> Cow<'c, str>) -> Check<'c> {
    let head = question.head;
    let mut check = Check::new().method(text(head.method.as_str()));
    if let Some(path) = head.endpoint() {
        check = check.endpoint(text(path));
    }
    for fact in question.facts.iter() {
        let value = match &fact.value {
            None => continue,
            Some(Value::Text(value)) => text(value),
            Some(Value::Ip(ip)) => ip.to_string().into(),
        };
        check = match fact.role {
            Role::User => check.user(value),
            Role::Org => check.org(value),
            Role::ApiKey => check.api_key(value),
            Role::Token => check.token(value),
            Role::Ip => check.ip(value),
            Role::Tier => check.tier(value),
            Role::Region => check.region(value),
            Role::Attribute(name) => check.attribute(text(name), value),
        };
    }
    match question.cost {
        Some(cost) => check.cost(cost),
        None => check,
    }
}

/// A question that the server finds wrong is the client's doing, since the facts are; credentials that it refuses are
/// as well. Whatever else there is must not hurt the host.
fn decided(answer: Result<Answer, ClientError>) -> Decided {
    match answer {
        Ok(answer) => Decided::Outcome(Outcome::of_server(told(&answer))),
        Err(error) => match error.fault() {
            Fault::Question => Decided::Malformed(error.detail().to_owned()),
            Fault::Credentials => Decided::Refused(error.detail().to_owned()),
            _ => Decided::Unanswered,
        },
    }
}

/// What becomes of an answer that holds a request back for longer than anybody should wait.
const DENIED: u16 = 429;

fn told(answer: &Answer) -> Told {
    let mut told = said(answer);
    if told.is_allowed && told.delay > Remote::DELAY_MAX {
        told.is_allowed = false;
        told.reason = Reason::Throttled;
        told.status = DENIED;
        told.retry_after = Some(told.delay);
        told.retry_after_s = Some(seconds(told.delay));
        told.delay = Duration::ZERO;
    }
    told
}

fn said(answer: &Answer) -> Told {
    let standings = answer.limits().iter().map(|standing| ToldStanding {
        rule: standing.rule.clone(),
        limit: standing.limit,
        window: standing.window,
        remaining: standing.remaining,
        reset_after: standing.reset_after,
    });
    Told {
        is_allowed: answer.is_allowed(),
        decided_by: match answer.source() {
            Source::Server => DecidedBy::Server,
            Source::CachedDenial => DecidedBy::CachedDenial,
            Source::Bypass => DecidedBy::Bypass,
            _ => DecidedBy::Fallback,
        },
        reason: answer.reason(),
        limit: answer.limit(),
        remaining: answer.remaining(),
        reset_after: answer.reset_after(),
        retry_after: answer.retry_after(),
        retry_after_s: answer.retry_after_s(),
        delay: answer.delay(),
        rule: answer.rule().map(Into::into),
        status: answer.status(),
        message: answer.message().map(Into::into),
        decision_id: answer.decision_id().map(Into::into),
        standings: standings.collect(),
        at: SystemClock.now().wall,
    }
}
