//! Answers, as a client reads them.

use serde::Deserialize;

use crate::resp::Reply;

/// What a server decided, whichever protocol told it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the fields are those of an answer")]
pub struct Told {
    pub allowed: bool,
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
}

/// One limit of an answer. The latter half is told to callers that name themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the fields are those of an answer")]
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

/// The bytes are no answer of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the answer cannot be read: is this a Tollgate server?")]
pub struct Unreadable;

/// What one body says.
type Read = Result<Told, ProblemTold>;

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
/// [`Unreadable`] for what a server would not say: a page of somebody else's with status 200.
pub fn read_answer(status: u16, body: &[u8]) -> Result<Read, Unreadable> {
    let marked: Option<Marked> = serde_json::from_slice(body).ok();
    if marked.is_some_and(|marked| marked.allowed.is_some()) {
        return serde_json::from_slice(body).map(Ok).map_err(|_| Unreadable);
    }
    if status < 400 {
        return Err(Unreadable);
    }
    let problem = serde_json::from_slice::<ProblemTold>(body).unwrap_or_default();
    Ok(Err(ProblemTold { status, ..problem }))
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
        Entry::Answer(answer) => Ok(Told {
            allowed: answer.allowed,
            ..answer.told
        }),
    });
    Ok(each.collect())
}

/// Reads the reply to `TG.DECIDE`, and how many callers there are; or to `TG.PEEK`, which tells less.
///
/// # Errors
///
/// [`Unreadable`] for what a server would not say.
pub fn read_decided(reply: &Reply<'_>) -> Result<(Read, Option<u32>), Unreadable> {
    match reply {
        Reply::Error(words) => Ok((Err(problem(words)), None)),
        Reply::Array(items) => decided(items).ok_or(Unreadable),
        _ => Err(Unreadable),
    }
}

fn decided(items: &[Reply<'_>]) -> Option<(Read, Option<u32>)> {
    let [
        Reply::Integer(allowed),
        Reply::Integer(limit),
        Reply::Integer(remaining),
        Reply::Integer(retry_after_ms),
        Reply::Integer(reset_ms),
        rule,
        rest @ ..,
    ] = items
    else {
        return None;
    };
    let allowed = *allowed == 1;
    let retry_after_ms = positive(*retry_after_ms).filter(|_| !allowed);
    let mut told = Told {
        allowed,
        limit: positive(*limit),
        remaining: positive(*remaining),
        reset_ms: positive(*reset_ms).filter(|_| *limit >= 0),
        retry_after: retry_after_ms.map(|millis| millis.div_ceil(1_000).max(1)),
        retry_after_ms,
        rule: text(rule),
        ..Told::default()
    };
    match rest {
        [] => Some((Ok(told), None)),
        [
            Reply::Integer(delay_ms),
            Reply::Integer(callers),
            Reply::Array(limits),
            ..,
        ] => {
            told.delay_ms = positive(*delay_ms)?;
            told.limits = limits.iter().map(limit_told).collect::<Option<_>>()?;
            Some((Ok(told), u32::try_from(*callers).ok()))
        }
        _ => None,
    }
}

fn limit_told(reply: &Reply<'_>) -> Option<LimitTold> {
    let Reply::Array(items) = reply else {
        return None;
    };
    let [
        rule,
        Reply::Integer(limit),
        Reply::Integer(remaining),
        Reply::Integer(reset_ms),
        per,
        algorithm,
        Reply::Integer(burst),
        key,
        ..,
    ] = items.as_slice()
    else {
        return None;
    };
    let key = text(key)?;
    let fields = key.split(',').filter(|field| !field.is_empty());
    Some(LimitTold {
        rule: text(rule)?,
        limit: positive(*limit)?,
        remaining: positive(*remaining)?,
        reset: None,
        reset_ms: positive(*reset_ms),
        per: text(per),
        algorithm: text(algorithm),
        burst: positive(*burst),
        key: fields.map(Into::into).collect(),
    })
}

fn text(reply: &Reply<'_>) -> Option<Box<str>> {
    match reply {
        Reply::Bulk(bytes) | Reply::Simple(bytes) => str::from_utf8(bytes).ok().map(Into::into),
        _ => None,
    }
}

fn positive(number: i64) -> Option<u64> {
    u64::try_from(number).ok()
}

/// The first word of an error says of what kind it is.
fn problem(words: &[u8]) -> ProblemTold {
    let words = String::from_utf8_lossy(words);
    let (kind, detail) = words.split_once(' ').unwrap_or((&words, ""));
    let status = match kind {
        "UNAUTHENTICATED" => 401,
        "FORBIDDEN" | "NOAUTH" | "NOPERM" | "WRONGPASS" => 403,
        "UNAVAILABLE" => 503,
        _ => 400,
    };
    ProblemTold {
        status,
        detail: detail.into(),
        reason: None,
    }
}
