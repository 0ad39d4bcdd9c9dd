//! Who asks, from where, by which request: what the audit wants to know.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use axum::{
    extract::{MatchedPath, Request},
    http::{HeaderMap, HeaderValue, StatusCode},
};
use serde_json::json;
use tollgate_catalog::{Author, Ended, Noted};

use super::{
    certified::{Certified, From},
    clear::holds_secret,
    guard, routes,
    state::AdminState,
};
use crate::authority::{Actor, Role};

/// One request, as the audit sees it.
#[derive(Clone, Debug)]
pub(super) struct Visit {
    /// Who it is, if they are known.
    actor: Option<Actor>,
    /// What they are called, also if they were turned away.
    name: String,
    role: Option<Role>,
    /// What their certificate calls them, also where that opens nothing.
    certified: Option<String>,
    from: Option<String>,
    id: String,
    /// What was asked for: the operation, and `METHOD /path` as the table of routes has it.
    asked: (&'static str, String),
}

/// The header that carries the id of a request.
const ID: &str = "x-request-id";
/// The longest id that is taken from a client.
const ID_CHARS_MAX: usize = 128;

impl Visit {
    /// Of a request, before it is known whether it may come in.
    pub(super) fn of(state: &AdminState, request: &Request) -> Self {
        let path = request.extensions().get::<MatchedPath>();
        let route = path.and_then(|path| routes::find(request.method(), path.as_str()));
        // Of what is turned away only what is ours goes on record: whoever asks for anything fills nothing with it.
        let asked = match route {
            Some(route) => (route.name, format!("{} {}", request.method(), route.path)),
            None => ("unknown", "unknown".to_owned()),
        };
        let (name, role) = state.authority.named(guard::caller(state, request));
        Self {
            actor: None,
            name: name.to_string(),
            role,
            certified: Certified::of(request.extensions()).map(str::to_owned),
            from: From::of(request.extensions()).map(|address| address.to_string()),
            id: given_id(request.headers()).unwrap_or_else(new_id),
            asked,
        }
    }

    /// The same, by somebody who is known.
    #[must_use]
    pub(super) fn by(mut self, actor: Actor) -> Self {
        let certified = self.certified.clone().filter(|_| !actor.proof.is_personal());
        self.name = certified.unwrap_or_else(|| actor.name.to_string());
        self.role = Some(actor.role);
        self.actor = Some(actor);
        self
    }

    /// Who it is; the router sees to it that they are known.
    pub(super) const fn actor(&self) -> Option<&Actor> {
        self.actor.as_ref()
    }

    /// Whether something proves who they are: then what they say of themselves does not count.
    pub(super) fn is_proven(&self) -> bool {
        let is_personal = |actor: &Actor| actor.proof.is_personal();
        self.certified.is_some() || self.actor.as_ref().is_some_and(is_personal)
    }

    /// Whoever asks, under the name that they are known by, or under one that stands for them.
    pub(super) fn author(&self, name: Option<&str>) -> Author {
        let author = Author::new(name.unwrap_or(&self.name)).by_request(&self.id);
        let author = match &self.from {
            Some(from) => author.calling_from(from),
            None => author,
        };
        match self.role {
            Some(role) => author.acting_as(role.word()),
            None => author,
        }
    }

    /// Puts on record that it was turned away, if that is what the answer says.
    pub(super) fn refused(&self, state: &AdminState, status: StatusCode, problem: &str) {
        let is_refusal = matches!(
            status,
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::UNSUPPORTED_MEDIA_TYPE
        );
        if !is_refusal {
            return;
        }
        let (operation, target) = &self.asked;
        let after = json!({ "status": status.as_u16(), "problem": problem });
        let noted = Noted {
            author: self.author(None),
            action: (*operation).into(),
            object: ("request".into(), target.as_str().into()),
            before: None,
            after: Some(after.to_string()),
            ended: Ended::Refused,
            times: 1,
        };
        let record = state.authority.record();
        match self.role.is_none() || status == StatusCode::UNAUTHORIZED {
            true => record.note_stranger(noted),
            false => record.note(noted),
        }
    }

    /// Names the request in its answer.
    pub(super) fn mark(&self, headers: &mut HeaderMap) {
        if let Ok(id) = HeaderValue::from_str(&self.id) {
            headers.insert(ID, id);
        }
    }
}

/// What the client calls its request, if that can stand in a log.
fn given_id(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(ID)?.to_str().ok()?;
    let is_sound = (1..=ID_CHARS_MAX).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:/+=".contains(&byte))
        && !holds_secret(id);
    is_sound.then(|| id.to_owned())
}

/// Another one at every call.
fn new_id() -> String {
    let number = RandomState::new().build_hasher().finish();
    format!("{number:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_taken_if_it_can_stand_in_a_log() {
        let given = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(ID, HeaderValue::from_str(value).unwrap());
            given_id(&headers)
        };
        assert_eq!(given("req-17").as_deref(), Some("req-17"));
        for wrong in ["", "a b", "\"", "{}", &"x".repeat(129)] {
            assert_eq!(given(wrong), None, "{wrong:?}");
        }
        assert_ne!(new_id(), new_id());
    }
}
