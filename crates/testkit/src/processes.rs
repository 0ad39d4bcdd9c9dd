//! Processes that are not our children, as `/proc` shows them.

use std::{fs, process::Child, str::FromStr};

use rustix::process::{Pid, Signal, kill_process};

use crate::{deadline::wait_for, postgres::SHORT};

/// A process, by the number that `/proc` and signals know it by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Id(Pid);

impl Id {
    pub(crate) fn of(child: &Child) -> Self {
        Self(Pid::from_child(child))
    }

    pub(crate) fn number(self) -> u32 {
        self.0.as_raw_nonzero().get().unsigned_abs()
    }
}

impl FromStr for Id {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let number = text.parse().map_err(drop)?;
        Pid::from_raw(number).map(Self).ok_or(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Alive,
    Paused,
    /// Nobody has asked for its exit status yet.
    Dead,
}

/// `None`: there is no such process any more.
pub(crate) fn state(id: Id) -> Option<State> {
    stat(id).map(|(state, _)| state)
}

/// One that has ended meanwhile needs no signal; whether others obey is seen by their state.
pub(crate) fn signal(id: Id, signal: Signal) {
    kill_process(id.0, signal).ok();
}

/// Pauses a process and its children; returns when none of them runs any more.
pub(crate) fn pause(parent: Id) {
    // The parent first: what is paused starts no others.
    stop(&[parent]);
    stop(&children(parent));
}

pub(crate) fn resume(parent: Id) {
    for child in children(parent) {
        signal(child, Signal::CONT);
    }
    signal(parent, Signal::CONT);
}

fn stop(ids: &[Id]) {
    for &id in ids {
        signal(id, Signal::STOP);
    }
    wait_for("the server's processes pause", SHORT, || {
        let runs = |&id: &Id| state(id) == Some(State::Alive);
        (!ids.iter().any(runs)).then_some(())
    });
}

pub(crate) fn children(parent: Id) -> Vec<Id> {
    let is_child = |&id: &Id| stat(id).is_some_and(|(_, its)| its == Some(parent));
    let entries = fs::read_dir("/proc").expect("Linux shows its processes");
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(is_child)
        .collect()
}

fn stat(id: Id) -> Option<(State, Option<Id>)> {
    let text = fs::read_to_string(format!("/proc/{}/stat", id.number())).ok()?;
    // The name comes before and may contain anything, also brackets.
    let (_, rest) = text.rsplit_once(") ")?;
    let mut words = rest.split(' ');
    let state = match words.next()? {
        "T" | "t" => State::Paused,
        "Z" | "X" => State::Dead,
        _ => State::Alive,
    };
    Some((state, words.next()?.parse().ok()))
}

#[cfg(test)]
mod tests {
    use std::process::{self, Command};

    use super::{Id, State, children, pause, resume, state};

    #[test]
    fn a_process_is_seen_through_its_life() {
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let id = Id::of(&child);
        let us: Id = process::id().to_string().parse().unwrap();
        assert!(children(us).contains(&id));
        pause(id);
        assert_eq!(state(id), Some(State::Paused));
        resume(id);
        assert_ne!(state(id), Some(State::Dead));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(state(id), None);
    }

    #[test]
    fn only_a_process_has_an_id() {
        assert!("0".parse::<Id>().is_err());
        assert!("self".parse::<Id>().is_err());
    }
}
