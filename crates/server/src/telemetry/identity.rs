//! The metrics of identity.

use std::sync::atomic::Ordering::Relaxed;

use super::{
    reading::{Kind, Reading, Value},
    recorder::Recorder,
};
use crate::identity::Reason;

pub(super) fn read(recorder: &Recorder, reading: &mut Reading) {
    let help = "Requests whose token, API key or stated facts were not believed, by reason";
    let family = reading.add(Kind::Counter, "tollgate_identity_refused", help);
    for (reason, count) in Reason::ALL.iter().zip(&recorder.refused) {
        let labels = [("reason", reason.word().to_owned())];
        family.with(labels, Value::Whole(count.load(Relaxed)));
    }
    let is_fine = !recorder.jwt_keys.is_failing();
    let help = "1 if the keys in the files verify tokens, or there are none; 0 if they cannot be used and \
                the former ones stay";
    reading.gauge("tollgate_jwt_reload_success", help, u64::from(is_fine));
    let help = "Times that new keys for tokens could not be used";
    let failures = recorder.jwt_keys.failures();
    reading.counter("tollgate_jwt_reload_failures", help, failures);
}
