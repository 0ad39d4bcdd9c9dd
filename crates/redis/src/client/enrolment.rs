//! How this process stands in the register of one server.

use std::{
    sync::{
        MutexGuard, PoisonError,
        atomic::Ordering::{Acquire, Relaxed, Release},
    },
    time::Duration,
};

use tollgate_core::Timestamp;

use super::{
    call::Cause,
    lineage::{Lineage, Met},
    link::{Link, Lost},
    push,
    register::{Manner, Register, command, put, refused},
    roll::Roll,
    shard::Shard,
    term::QUARANTINE,
};
use crate::Doubt;

/// What was said to a register and heard from it.
#[derive(Debug, Default)]
pub(super) struct Enrolment {
    /// Who the server is, as its register has it, and how this process comes to it.
    pub(super) server: String,
    manner: Option<Manner>,
    /// Where its register is: elsewhere, once slots have moved.
    key: Vec<u8>,
    /// The register as last heard from this server.
    pub(super) register: Option<Register>,
    /// The term that it spoke of.
    term: u64,
    /// Whether this process has to tell what it knows.
    owes: bool,
    /// The term for which it has, and the gap in that.
    told: (u64, u64),
    doubt: Option<Doubt>,
    is_doubt_logged: bool,
}

/// Whether no process is awaited any longer, by the word of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    Yes,
    No,
}

impl Enrolment {
    /// Another server is there, or the same as another.
    pub(super) fn comes_to(&mut self, lineage: &Lineage, met: Met, if_known: Manner) {
        self.server = lineage.in_words();
        self.register = None;
        self.manner = Some(match met {
            Met::Changed(_) => Manner::Heir,
            Met::Known(_) => if_known,
        });
        self.owes |= matches!(met, Met::Changed(_));
    }

    /// What register.lua is given.
    pub(super) fn args(
        &self,
        me: &str,
        (roll, trust): (&Roll, Trust),
        boot: Timestamp,
    ) -> Vec<String> {
        let manner = self.manner.unwrap_or(Manner::New);
        // A term is known only of a server that is still the same.
        let term = if manner == Manner::Known { self.term } else { 0 };
        let (told, gap) = self.told;
        let trust = if trust == Trust::Yes { "trust" } else { "" };
        let mut args = vec![
            me.to_owned(),
            self.server.clone(),
            manner.word().to_owned(),
            term.to_string(),
            told.to_string(),
            gap.to_string(),
            roll.extent.life().to_string(),
            trust.to_owned(),
            roll.ended().count().to_string(),
        ];
        for ended in roll.ended() {
            args.push(ended.name.clone());
            args.push(ended.gap.to_string());
        }
        for other in roll.others(self.register.as_ref(), boot) {
            args.push(other.name);
            args.push(other.age.get().to_string());
            args.push(other.life.get().to_string());
        }
        args
    }
}

impl Shard {
    pub(super) fn enrolment(&self) -> MutexGuard<'_, Enrolment> {
        let enrolment = self.term.enrolment.lock();
        enrolment.unwrap_or_else(PoisonError::into_inner)
    }

    /// What is in doubt here, once requests are let in again.
    pub(super) fn doubt_now(&self) -> Option<Doubt> {
        self.enrolment().doubt
    }

    /// The term of which the register spoke last.
    pub(super) fn term_begun(&self) -> u64 {
        self.enrolment().term
    }

    /// The time of the server when its register was last heard.
    pub(super) fn register_time(&self) -> Option<u64> {
        let enrolment = self.enrolment();
        enrolment.register.as_ref().map(|register| register.now)
    }

    /// Enters this process, if it is a node of the fleet. That it cannot be entered again does no harm.
    pub(super) async fn enrol(
        &self,
        link: &Link,
        patience: Duration,
    ) -> Result<Result<(), Cause>, Lost> {
        self.enrol_with(link, patience, Trust::No).await
    }

    pub(super) async fn enrol_with(
        &self,
        link: &Link,
        patience: Duration,
        trust: Trust,
    ) -> Result<Result<(), Cause>, Lost> {
        let roll = &self.term.lineages.roll;
        let Some(me) = &roll.me else {
            return Ok(Ok(()));
        };
        let key = self.register_key();
        let (args, server) = {
            let mut enrolment = self.enrolment();
            if enrolment.key != key {
                enrolment.key.clone_from(&key);
                enrolment.register = None;
            }
            let args = enrolment.args(me, (roll, trust), self.clock.boot());
            (args, enrolment.server.clone())
        };
        let reply = put(link, &command(&key, &args), patience).await?;
        let cause = match Register::read(&reply) {
            Some(register) => {
                self.hear(register, me, &server);
                if !roll.has_greeted.swap(true, Relaxed) {
                    let mut greeting = redis::cmd("PUBLISH");
                    greeting.arg(&roll.channel).arg(push::greeting(me));
                    // Who misses it, or may not hear it, knows within a second.
                    link.ask(&greeting, patience).await?;
                }
                return Ok(Ok(()));
            }
            None => refused(&reply),
        };
        // Who may not be entered decides all the same: what it spends is in doubt for longer after a loss.
        let is_barred = cause == Cause::Forbidden || !cause.is_trouble();
        if is_barred || self.enrolment().manner == Some(Manner::Known) {
            return Ok(Ok(()));
        }
        Ok(Err(cause))
    }

    pub(super) fn hear(&self, register: Register, me: &str, server: &str) {
        let roll = &self.term.lineages.roll;
        roll.learn(&register, self.clock.boot());
        let mut enrolment = self.enrolment();
        if enrolment.server != server {
            // It was another's.
            return;
        }
        enrolment.manner = Some(Manner::Known);
        let is_awaited = register.is_awaited(me);
        if register.term != enrolment.term && is_awaited {
            self.adopt(register.term, &mut enrolment);
        }
        let mut ended = roll.ended();
        let is_ended_awaited = ended.any(|ended| register.is_awaited(&ended.name));
        if is_ended_awaited && enrolment.told.0 != register.term {
            self.owe(register.term, &mut enrolment);
        }
        enrolment.term = register.term;
        if register.have_the_living_told() && !is_awaited && !self.is_fresh() {
            self.term.quarantine_until.store(0, Release);
        }
        let doubt = register.doubt();
        let since = doubt.map_or(0, |doubt| doubt.since.as_micros());
        let before = self.term.doubt_since.swap(since, Release);
        if since < before {
            roll.relief.fetch_add(1, Relaxed);
        }
        enrolment.doubt = doubt;
        enrolment.register = Some(register);
        if !self.is_quarantined() {
            self.log_doubt(&mut enrolment);
        }
    }

    /// Another has found that counters may be lost: what this process knows is told, and no request is let in before.
    fn adopt(&self, term: u64, enrolment: &mut Enrolment) {
        if enrolment.owes {
            return;
        }
        let until: Timestamp = self.clock.boot().saturating_add(QUARANTINE);
        let held = &self.term;
        held.quarantine_until.fetch_max(until.as_micros(), Release);
        self.owe(term, enrolment);
    }

    /// What this process knows has to be told.
    fn owe(&self, term: u64, enrolment: &mut Enrolment) {
        if enrolment.owes {
            return;
        }
        enrolment.owes = true;
        let since = self.since().saturating_add(1).max(term);
        self.term.since.fetch_max(since, Release);
        self.term.lineages.changed.notify_one();
    }

    /// All that this process knows has been told to this server, as of a loss.
    pub(super) fn has_told(&self, since: u64) -> bool {
        let mut enrolment = self.enrolment();
        let is_news =
            enrolment.owes && enrolment.term > 0 && self.term.since.load(Acquire) == since;
        if is_news {
            enrolment.owes = false;
            enrolment.told = (enrolment.term, self.term.lineages.roll.extent.gap());
        }
        is_news
    }

    fn log_doubt(&self, enrolment: &mut Enrolment) {
        let shard = self.name();
        match enrolment.doubt {
            Some(doubt) if !enrolment.is_doubt_logged => {
                enrolment.is_doubt_logged = true;
                let until_s = doubt.until.as_micros() / 1_000_000;
                tracing::warn!(
                    shard,
                    awaited = doubt.awaited,
                    until_s,
                    "counters that this server of Redis may have lost are in doubt: processes that may have spent on \
                     them have not told, and each rule's on_failure answers for them; `tollgate redis trust` ends it"
                );
            }
            None if enrolment.is_doubt_logged => {
                enrolment.is_doubt_logged = false;
                tracing::info!(shard, "no counter of this server of Redis is in doubt any more");
            }
            _ => {}
        }
    }

    /// A key that this shard serves, for its register.
    pub(super) fn register_key(&self) -> Vec<u8> {
        let key = self.probe_key();
        let stem = key.strip_suffix(b":probe").unwrap_or(&key);
        [stem, b":processes"].concat()
    }
}
