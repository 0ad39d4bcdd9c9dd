//! A script put to one shard.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use redis::Value;

use super::{
    call::{Call, Cause, Failure},
    link::{Link, Lost},
    reply::{Refusal, refusal},
    shard::Shard,
};
use crate::script::Script;

/// Calls that may be under way at one shard.
pub(super) const IN_FLIGHT_MAX: usize = 4_096;

/// How a call is put to a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// As its owner.
    Owner,
    /// As the one who is about to become it.
    Asking,
}

impl Shard {
    /// Runs a script here, loading it first if need be.
    pub(super) async fn run(&self, call: &Call, way: Way) -> Result<Value, Refusal> {
        let start = self.clock.now().steady;
        let outcome = self.run_uncounted(call, way).await;
        match &outcome {
            Err(Refusal::Failed(failure)) => self.failed(failure.cause()),
            Err(Refusal::ReadOnly) => self.failed(Cause::Moving),
            // A redirection is an answer too. One for which nobody has waited speaks neither for the shard
            // nor against it: those who did not wait have told.
            _ if self.clock.now().steady.since(start) <= self.deadline => self.succeeded(),
            _ => {}
        }
        outcome
    }

    async fn run_uncounted(&self, call: &Call, way: Way) -> Result<Value, Refusal> {
        let not_run = |cause| Refusal::Failed(Failure::NotRun(cause));
        let Some(_place) = Place::take(&self.in_flight) else {
            return Err(not_run(Cause::Crowded));
        };
        let Some(link) = self.link() else {
            return Err(not_run(self.absence()));
        };
        if way == Way::Asking {
            self.wanted();
        }
        match self.send(&link, call, way, None).await {
            // It did not run, so it may be sent again.
            Err(Refusal::NoScript) => self.send(&link, call, way, Some(call.script)).await,
            outcome => outcome,
        }
    }

    /// Sends the call in one piece with whatever must stand before it.
    async fn send(
        &self,
        link: &Link,
        call: &Call,
        way: Way,
        load: Option<&Script>,
    ) -> Result<Value, Refusal> {
        let reply = if way == Way::Owner && load.is_none() {
            link.ask(&call.command(), link.patience).await
        } else {
            let mut commands = redis::pipe();
            if let Some(script) = load {
                commands.cmd("SCRIPT").arg("LOAD").arg(script.text());
            }
            if way == Way::Asking {
                commands.cmd("ASKING");
            }
            commands.add_command(call.command());
            let replies = link.ask_all(&commands, link.patience).await;
            replies.and_then(|mut replies| {
                // If it could not be loaded, the reason is in the first reply.
                let is_unknown = |reply: &Value| refused(reply) == Some(Refusal::NoScript);
                if load.is_some() && replies.last().is_some_and(is_unknown) {
                    replies.truncate(1);
                }
                replies.pop().ok_or(Lost::Ended)
            })
        };
        match reply {
            Ok(reply) => refused(&reply).map_or(Ok(reply), Err),
            Err(Lost::Ended) => Err(Refusal::Failed(Failure::InDoubt(Cause::Unreachable))),
            Err(Lost::Late) => {
                link.cut();
                Err(Refusal::Failed(Failure::InDoubt(Cause::Silent)))
            }
        }
    }
}

fn refused(reply: &Value) -> Option<Refusal> {
    match reply {
        Value::ServerError(error) => Some(refusal(error)),
        _ => None,
    }
}

/// A place among those who are under way.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(count: &'a AtomicUsize) -> Option<Self> {
        let place = Self(count);
        (count.fetch_add(1, Relaxed) < IN_FLIGHT_MAX).then_some(place)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}
