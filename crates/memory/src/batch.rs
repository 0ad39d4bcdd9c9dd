//! Several requests in one call: hash all, touch all, then decide.

use tollgate_core::{Charge, Clock, Verdict};

use crate::{
    store::Counters,
    transaction::{Mode, Transaction},
};

/// Requests whose lines are fetched together. More would push the first out of the nearest cache
/// before their turn.
const TOGETHER: usize = 16;

impl Counters {
    pub(crate) fn charge_batch_now(
        &self,
        requests: &[&[Charge<'_>]],
        verdicts: &mut Vec<Verdict>,
        clock: &impl Clock,
    ) {
        let now = clock.now();
        verdicts.reserve(requests.len());
        for requests in requests.chunks(TOGETHER) {
            let mut fingerprints = [0; TOGETHER];
            for (fingerprint, charges) in fingerprints.iter_mut().zip(requests) {
                if let [charge] = charges {
                    *fingerprint = self.fingerprint(charge);
                }
            }
            // The processor overlaps these loads, where a decision would wait for its own.
            let touched = fingerprints.iter().fold(0, |all, one| all ^ self.table.touch(*one));
            std::hint::black_box(touched);
            for (fingerprint, charges) in fingerprints.iter().zip(requests) {
                let fast = match charges {
                    [charge] => self.charge_one(charge, *fingerprint, now),
                    _ => None,
                };
                verdicts.push(
                    fast.unwrap_or_else(|| Transaction::run(self, clock, Mode::Charge, charges)),
                );
            }
        }
    }
}
