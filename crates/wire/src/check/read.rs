//! What is asked.

use std::borrow::Cow;

use super::{
    error::{BodyError, BodyFlaw, Fault},
    fields::{Field, Purpose},
    reader::{Places, Reader},
};

/// The most requests in a batch.
pub const BATCH_MAX: usize = 1_000;
/// The most attributes of a request.
pub const ATTRIBUTES_MAX: usize = 64;

/// The body of a check, of a peek, a refund or a reset. What is not there, or null, is `None`; texts
/// are borrowed unless they have escapes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckBody<'a> {
    pub user_id: Option<Cow<'a, str>>,
    pub org_id: Option<Cow<'a, str>>,
    pub api_key: Option<Cow<'a, str>>,
    pub token: Option<Cow<'a, str>>,
    pub ip: Option<Cow<'a, str>>,
    pub tier: Option<Cow<'a, str>>,
    pub endpoint: Option<Cow<'a, str>>,
    pub method: Option<Cow<'a, str>>,
    pub region: Option<Cow<'a, str>>,
    pub attributes: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    pub cost: Option<u64>,
    pub scope: Option<Cow<'a, str>>,
    pub request_id: Option<Cow<'a, str>>,
    pub rule: Option<Cow<'a, str>>,
}

impl<'a> CheckBody<'a> {
    pub(super) fn place(&mut self, field: Field) -> Option<&mut Option<Cow<'a, str>>> {
        Some(match field {
            Field::UserId => &mut self.user_id,
            Field::OrgId => &mut self.org_id,
            Field::ApiKey => &mut self.api_key,
            Field::Token => &mut self.token,
            Field::Ip => &mut self.ip,
            Field::Tier => &mut self.tier,
            Field::Endpoint => &mut self.endpoint,
            Field::Method => &mut self.method,
            Field::Region => &mut self.region,
            Field::Scope => &mut self.scope,
            Field::RequestId => &mut self.request_id,
            Field::Rule => &mut self.rule,
            Field::Attributes | Field::Cost => return None,
        })
    }
}

/// Reads one body.
///
/// ```
/// use tollgate_wire::check::{Purpose, read_body};
///
/// let body = read_body(br#"{"user_id":"ann","cost":3}"#, Purpose::Check)?;
/// assert_eq!((body.user_id.as_deref(), body.cost), (Some("ann"), Some(3)));
///
/// let wrong = read_body(br#"{"user":"ann"}"#, Purpose::Check).unwrap_err();
/// assert_eq!(wrong.to_string(), "unknown field `user`: did you mean `user_id`? (line 1, column 2)");
/// # Ok::<(), tollgate_wire::check::BodyError>(())
/// ```
///
/// # Errors
///
/// [`BodyError`] says what is wrong, and where.
pub fn read_body(bytes: &[u8], purpose: Purpose) -> Result<CheckBody<'_>, BodyError> {
    let text = utf8(bytes)?;
    let mut reader = Reader::new(text);
    let read = reader.one(purpose);
    read.map_err(|fault| fault.placed(&mut Places::new(text)))
}

/// Reads a batch of checks. What is wrong with one of them does not hurt the others, as long as all of it
/// is JSON.
///
/// ```
/// let batch = tollgate_wire::check::read_batch(br#"{"requests":[{"user_id":"ann"},{"cost":-1}]}"#)?;
/// assert!(batch[0].is_ok() && batch[1].is_err());
/// # Ok::<(), tollgate_wire::check::BodyError>(())
/// ```
///
/// # Errors
///
/// [`BodyError`] if it is no batch at all, or one of more than [`BATCH_MAX`].
pub fn read_batch(bytes: &[u8]) -> Result<Vec<Result<CheckBody<'_>, BodyError>>, BodyError> {
    let text = utf8(bytes)?;
    let mut reader = Reader::new(text);
    let read = reader.batch();
    read.map_err(|fault| fault.placed(&mut Places::new(text)))
}

fn utf8(bytes: &[u8]) -> Result<&str, BodyError> {
    str::from_utf8(bytes).map_err(|error| {
        let sound = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let sound = str::from_utf8(sound).unwrap_or_default();
        Fault::new(BodyFlaw::NotUtf8, sound.len()).placed(&mut Places::new(sound))
    })
}
