//! A short notation for what happens to one counter, so that a case reads like its story.

use std::time::Duration;

use tollgate_core::{Decision, Limit, Store};

use super::{Rig, rig::DAY, rig::H, rig::MIN, rig::MS, rig::S};
use crate::limit;

impl<S: Store> Rig<S> {
    /// Plays a script on the usual counter and compares the answers.
    ///
    /// `take3`, `peek3`, `give3` and `reset` ask, `pass5s` lets time pass, `wall+1h` and `wall-1h`
    /// step the time of day. An answer is what remains, with `+100ms` if the request has to wait;
    /// `!5s` is a denial with its retry-after, `!never` one without; `|` is time passing.
    pub(super) fn play(&self, limit_text: &str, script: &str, answers: &str) {
        let limit = limit(limit_text);
        let given: Vec<String> =
            script.split_whitespace().map(|word| self.play_word(&limit, word)).collect();
        assert_eq!(given.join(" "), answers, "{limit_text}: {script}");
    }

    fn play_word(&self, limit: &Limit, word: &str) -> String {
        let at = word.find(|letter: char| !letter.is_ascii_lowercase()).unwrap_or(word.len());
        let (verb, rest) = word.split_at(at);
        match verb {
            "take" => answer(&self.take(limit, number(rest))),
            "peek" => answer(&self.peek(limit, number(rest))),
            "give" => answer(&self.refund(limit, number(rest))),
            "reset" => answer(&self.reset(limit)),
            "pass" => {
                self.pass(micros(rest));
                "|".to_owned()
            }
            "wall" => {
                let by = i64::try_from(micros(&rest[1..])).expect("a step");
                self.clock.step_wall(if rest.starts_with('-') { -by } else { by });
                "|".to_owned()
            }
            unknown => panic!("no such word: {unknown}"),
        }
    }
}

fn answer(decision: &Decision) -> String {
    match decision.retry_after() {
        None => "!never".to_owned(),
        Some(wait) if !decision.is_allowed() => format!("!{wait:?}"),
        Some(_) if decision.delay() > Duration::ZERO => {
            format!("{}+{:?}", decision.remaining(), decision.delay())
        }
        Some(_) => decision.remaining().to_string(),
    }
}

fn number(text: &str) -> u64 {
    text.parse().expect("a number")
}

fn micros(text: &str) -> u64 {
    let at = text.find(|letter: char| letter.is_ascii_lowercase()).expect("a unit");
    let (count, unit) = text.split_at(at);
    let unit = match unit {
        "us" => 1,
        "ms" => MS,
        "s" => S,
        "min" => MIN,
        "h" => H,
        "d" => DAY,
        unknown => panic!("no such unit: {unknown}"),
    };
    number(count) * unit
}
