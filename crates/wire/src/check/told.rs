//! Answers, as a client reads them.

use serde::Deserialize;

/// What a server decided, whichever protocol told it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Told {
    pub allowed: bool,
    /// Why, over HTTP; older servers do not say.
    pub reason: Option<Box<str>>,
    pub limit: Option<u64>,
    pub remaining: Option<u64>,
    /// Seconds since 1970, over HTTP.
    pub reset: Option<u64>,
    /// A duration, over RESP.
    pub reset_ms: Option<u64>,
    pub retry_after: Option<u64>,
    pub retry_after_ms: Option<u64>,
    pub delay_ms: u64,
    pub rule: Option<Box<str>>,
    pub message: Option<Box<str>>,
    pub decision_id: Option<Box<str>>,
    pub limits: Vec<LimitTold>,
    /// What a denied client is answered with; told to callers that name themselves.
    pub status: Option<u16>,
}

/// One limit of an answer. The latter half is told to callers that name themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct LimitTold {
    pub rule: Box<str>,
    pub limit: u64,
    pub remaining: u64,
    pub reset: Option<u64>,
    pub reset_ms: Option<u64>,
    /// Amount and period: `10/s`.
    pub per: Option<Box<str>>,
    pub algorithm: Option<Box<str>>,
    pub burst: Option<u64>,
    /// The facts it counts by.
    pub key: Vec<Box<str>>,
    /// Whether it stands in the place of the rule's, for whoever asks and not for others.
    pub overridden: bool,
    /// What a request weighs under it, times what the caller says: `10`, `attributes.bytes / 1024`.
    pub cost: Option<Box<str>>,
}

impl Told {
    /// As many limits as are taken from one answer.
    pub const LIMITS_MAX: usize = 64;
    /// The longest text of a limit that is taken: names and facts are shorter.
    pub const TEXT_BYTES_MAX: usize = 1_024;

    /// Without what is more than anybody should keep, or could answer with.
    pub(super) fn bounded(mut self) -> Self {
        for text in [&mut self.reason, &mut self.rule, &mut self.message, &mut self.decision_id] {
            text.take_if(|text| text.len() > Self::TEXT_BYTES_MAX);
        }
        self.status.take_if(|status| !matches!(status, 200 | 400..=599));
        self.limits.truncate(Self::LIMITS_MAX);
        self.limits.retain(LimitTold::is_short);
        self
    }
}

impl LimitTold {
    /// As many facts as a limit may count by.
    const FIELDS_MAX: usize = 64;

    fn is_short(&self) -> bool {
        let texts = [&self.per, &self.algorithm, &self.cost];
        let texts = texts.into_iter().flatten().chain(&self.key);
        let bytes = texts.map(|text| text.len()).sum::<usize>();
        self.key.len() <= Self::FIELDS_MAX && self.rule.len().max(bytes) <= Told::TEXT_BYTES_MAX
    }
}

/// A server said that it did not decide, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ProblemTold {
    /// The status of it.
    pub status: u16,
    /// What is wrong, in words.
    pub detail: Box<str>,
    /// The class of the reason.
    pub reason: Option<Box<str>>,
}

impl ProblemTold {
    /// Whether one of our servers says so: it always says what is wrong, and of credentials what class of wrong it is.
    fn is_ours(&self) -> bool {
        self.status >= 400
            && !self.detail.is_empty()
            && (self.status != 401 || self.reason.is_some())
    }
}

/// The bytes are no answer of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer cannot be read: is this a Tollgate server?")]
pub struct Unreadable;

/// What one body says.
pub(super) type Read = Result<Told, ProblemTold>;

#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    Problem { error: ProblemTold },
    Answer(Box<Answer>),
}

/// `allowed` has to be there: that is what tells a decision from anything else.
#[derive(Deserialize)]
struct Answer {
    allowed: bool,
    #[serde(flatten)]
    told: Told,
}

#[derive(Deserialize)]
struct Batch {
    results: Vec<Entry>,
}

#[derive(Deserialize)]
struct Marked {
    allowed: Option<bool>,
}

/// Reads the body of an answer: a decision, or why there is none.
///
/// ```
/// use tollgate_wire::check::read_answer;
///
/// let told = read_answer(429, br#"{"allowed":false,"limit":5,"remaining":0,"retry_after":23,"rule":"login"}"#)?;
/// assert_eq!(told.map(|told| (told.allowed, told.retry_after)), Ok((false, Some(23))));
/// let told = read_answer(400, br#"{"status":400,"detail":"unknown field"}"#)?;
/// assert_eq!(told.map_err(|problem| problem.status), Err(400));
/// # Ok::<(), tollgate_wire::check::Unreadable>(())
/// ```
///
/// # Errors
///
/// [`Unreadable`] for what a server would not say. Something in between answers 400, 401 or 413 as well; its word about a
/// question is not taken.
pub fn read_answer(status: u16, body: &[u8]) -> Result<Read, Unreadable> {
    let marked: Option<Marked> = serde_json::from_slice(body).ok();
    if marked.is_some_and(|marked| marked.allowed.is_some()) {
        let told = serde_json::from_slice::<Told>(body);
        return told.map(|told| Ok(told.bounded())).map_err(|_| Unreadable);
    }
    let problem: ProblemTold = serde_json::from_slice(body).map_err(|_| Unreadable)?;
    if problem.status == status && problem.is_ours() { Ok(Err(problem)) } else { Err(Unreadable) }
}

/// Reads the body of an answer to a batch.
///
/// ```
/// use tollgate_wire::check::read_answers;
///
/// let body = br#"{"results":[{"allowed":true},{"error":{"status":400,"detail":"no"}}]}"#;
/// let told = read_answers(body)?;
/// assert!(told[0].is_ok() && told[1].is_err());
/// # Ok::<(), tollgate_wire::check::Unreadable>(())
/// ```
///
/// # Errors
///
/// [`Unreadable`] for what a server would not say.
pub fn read_answers(body: &[u8]) -> Result<Vec<Read>, Unreadable> {
    let batch: Batch = serde_json::from_slice(body).map_err(|_| Unreadable)?;
    let each = batch.results.into_iter().map(|entry| match entry {
        Entry::Problem { error } => Err(error),
        Entry::Answer(answer) => {
            let allowed = answer.allowed;
            let told = answer.told.bounded();
            Ok(Told { allowed, ..told })
        }
    });
    Ok(each.collect())
}
