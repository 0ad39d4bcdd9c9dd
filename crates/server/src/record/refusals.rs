//! Who was turned away on a listener for decisions.

use serde_json::json;
use tollgate_catalog::{Author, Ended, Noted};

use crate::authority::{Authority, Caller, Refused};

/// What somebody tried who was turned away.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tried {
    /// As the audit calls it, such as `counter.reset`.
    pub(crate) action: &'static str,
    /// As the protocol calls it, such as `TG.RESET`.
    pub(crate) command: &'static str,
}

impl Authority {
    /// Puts on record that somebody was turned away, and why.
    pub(crate) fn turned_away(
        &self,
        caller: Caller<'_>,
        from: Option<String>,
        tried: Tried,
        refused: Refused,
    ) {
        let (name, role) = self.named(caller);
        let author = Author::new(&name);
        let author = match role {
            Some(role) => author.acting_as(role.word()),
            None => author,
        };
        let author = match from {
            Some(from) => author.calling_from(&from),
            None => author,
        };
        let noted = Noted {
            author,
            action: tried.action.into(),
            object: ("request".into(), tried.command.into()),
            before: None,
            after: Some(
                json!({ "status": refused.status(), "problem": refused.word() }).to_string(),
            ),
            ended: Ended::Refused,
            times: 1,
        };
        match role.is_none() || refused.is_of_token() {
            true => self.record().note_stranger(noted),
            false => self.record().note(noted),
        }
    }
}
