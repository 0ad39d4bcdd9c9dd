//! The client.

use std::{fmt, sync::Arc};

use crate::{
    Answer, BuildError, Builder, Check, Error, Status, convert, facts, fleet::Again, inner::Inner,
    transport::Question,
};

/// Asks whether requests may pass. Cheap to clone: clones share everything.
///
/// Every call ends within the deadline, and none of them waits for a lock, a queue or a database. When the server
/// is slow or gone, [`Fallback`](crate::Fallback) answers. It needs a tokio runtime with I/O and time (`enable_all`); without
/// one the fallback answers, too.
///
/// ```no_run
/// use tollgate_client::{Check, Client};
///
/// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::new("http://10.0.0.7:7070, http://10.0.0.8:7070")?;
/// let answer = client.check(&Check::new().api_key("k1").endpoint("/search")).await?;
/// println!("{} of {:?} left", answer.remaining().unwrap_or(0), answer.limit());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    pub(crate) inner: Arc<Inner>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("status", &self.status()).finish_non_exhaustive()
    }
}

impl Client {
    /// A client of this server, or of several with commas between them, as the defaults have it.
    ///
    /// ```
    /// use tollgate_client::Client;
    ///
    /// let client = Client::new("redis://127.0.0.1:7072")?;
    /// assert_eq!(client.status().servers[0].connections, 0); // nothing was asked yet
    /// # Ok::<(), tollgate_client::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BuildError`] for an address that cannot be one.
    pub fn new(servers: &str) -> Result<Self, BuildError> {
        Self::builder(servers).build()
    }

    /// A client of this server, or of several with commas between them, as you like it.
    ///
    /// ```
    /// use tollgate_client::{Client, Fallback};
    ///
    /// let client = Client::builder("http://127.0.0.1:7070").fallback(Fallback::Closed).build()?;
    /// # Ok::<(), tollgate_client::BuildError>(())
    /// ```
    pub fn builder(servers: &str) -> Builder {
        Builder::new(servers)
    }

    /// Whether a request may pass; it is charged if so. Ends within the deadline, whatever the server does.
    ///
    /// ```no_run
    /// # async fn serve(client: &tollgate_client::Client) -> Result<(), tollgate_client::Error> {
    /// use tollgate_client::Check;
    ///
    /// let answer = client.check(&Check::new().user("ann").endpoint("/search").cost(2)).await?;
    /// assert!(answer.is_allowed() || answer.retry_after().is_some());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error`] if the question itself is wrong, or the credentials in it are; never because of the server or
    /// the network.
    pub async fn check(&self, check: &Check<'_>) -> Result<Answer, Error> {
        check.is_sound().inspect_err(|_| self.inner.counts.refused())?;
        match self.check_now(check) {
            Some(answer) => Ok(answer),
            None => self.ask(check).await,
        }
    }

    /// As [`Client::check`], for a question that [`Client::check_now`] had no answer to.
    ///
    /// ```no_run
    /// # async fn serve(client: &tollgate_client::Client) -> Result<(), tollgate_client::Error> {
    /// use tollgate_client::Check;
    ///
    /// let check = Check::new().user("ann");
    /// let answer = match client.check_now(&check) {
    ///     Some(answer) => answer,
    ///     None => client.ask(&check).await?,
    /// };
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Client::check`].
    pub async fn ask(&self, check: &Check<'_>) -> Result<Answer, Error> {
        let inner = &*self.inner;
        check.is_sound().inspect_err(|_| inner.counts.refused())?;
        let facts = facts::fingerprint(check);
        let again = Again::of(check);
        let order = inner.fleet.order(check);
        let question = Question::Check(&check.body);
        let asked = inner.fleet.ask(question, &order, again, &*inner.clock).await;
        let told = asked.and_then(|said| inner.one(check, facts, &said));
        inner.settled(check, facts, told)
    }

    /// The answer, if nobody has to be asked for it: limits are bypassed, the same was denied a moment ago, or no
    /// server is asked at present. [`Client::check`] begins with it.
    ///
    /// ```
    /// use tollgate_client::{Check, Client};
    ///
    /// let client = Client::new("http://127.0.0.1:7070")?;
    /// assert!(client.check_now(&Check::new().user("ann")).is_none());
    /// client.bypass();
    /// assert!(client.check_now(&Check::new().user("ann")).is_some());
    /// # Ok::<(), tollgate_client::BuildError>(())
    /// ```
    pub fn check_now(&self, check: &Check<'_>) -> Option<Answer> {
        self.inner.ready(check, facts::fingerprint(check))
    }

    /// What a check would be answered, without charging it. Only a server can tell.
    ///
    /// ```no_run
    /// # async fn serve(client: &tollgate_client::Client) -> Result<(), tollgate_client::Error> {
    /// use tollgate_client::Check;
    ///
    /// let left = client.peek(&Check::new().user("ann")).await?.remaining();
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error`] if no server can be asked in time, or the question is wrong.
    pub async fn peek(&self, check: &Check<'_>) -> Result<Answer, Error> {
        let inner = &*self.inner;
        check.is_sound()?;
        // A name means nothing where nothing is charged, and servers refuse it.
        let mut body = check.body.clone();
        body.request_id = None;
        let order = inner.fleet.order(check);
        let question = Question::Peek(&body);
        let clock = &*inner.clock;
        let said = inner.fleet.ask(question, &order, Again::Can, clock).await?;
        match said.told.first() {
            Some(Ok(told)) => Ok(convert::answer(told, said.status, clock.now().wall)),
            Some(Err(problem)) => Err(convert::error(problem)),
            None => Err(Inner::nothing_said()),
        }
    }

    /// From now on every request may pass and no server is asked: the switch for the worst day.
    ///
    /// ```
    /// # let client = tollgate_client::Client::new("http://127.0.0.1:7070")?;
    /// client.bypass();
    /// assert_eq!(client.status().checked_percent, 0);
    /// client.resume();
    /// assert_eq!(client.status().checked_percent, 10); // then 50, after 20 s all
    /// # Ok::<(), tollgate_client::BuildError>(())
    /// ```
    pub fn bypass(&self) {
        self.inner.bypass.engage();
    }

    /// Ends [`Client::bypass`] by and by: a tenth of the calls is checked, after 10 s half, after 20 s all of them.
    ///
    /// ```
    /// # let client = tollgate_client::Client::new("http://127.0.0.1:7070")?;
    /// client.resume(); // nothing is bypassed, so nothing changes
    /// assert_eq!(client.status().checked_percent, 100);
    /// # Ok::<(), tollgate_client::BuildError>(())
    /// ```
    pub fn resume(&self) {
        self.inner.bypass.resume(self.inner.clock.now().steady);
    }

    /// How the client fares.
    ///
    /// ```
    /// # let client = tollgate_client::Client::new("http://127.0.0.1:7070")?;
    /// assert_eq!(client.status().by_fallback.allowed, 0);
    /// # Ok::<(), tollgate_client::BuildError>(())
    /// ```
    pub fn status(&self) -> Status {
        let inner = &*self.inner;
        let now = inner.clock.now().steady;
        let counted = inner.counts.read();
        let servers = inner.fleet.servers.iter();
        Status {
            servers: servers.map(|server| server.status(now)).collect(),
            by_server: counted.by_server,
            cached_denials: counted.cached_denials,
            by_fallback: counted.by_fallback,
            unknown: counted.unknown,
            bypassed: counted.bypassed,
            refused: counted.refused,
            untrusted: counted.untrusted,
            checked_percent: inner.bypass.share(now),
            callers: inner.fleet.callers(),
            denials_kept: inner.denials.len(),
            limits_kept: inner.local.len(),
        }
    }
}
