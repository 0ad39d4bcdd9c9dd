//! Reports, as long as there is somebody to report for.

use std::{
    hash::{BuildHasher as _, Hasher as _, RandomState},
    sync::Weak,
    time::Duration,
};

use super::Verifier;
use crate::{client::Client, time::Time};

/// About how often what was admitted is told.
const REPORT_EVERY_MS: u64 = 1_000;
/// Up to so much sooner, so that a fleet does not step in time.
const JITTER_MS: u64 = 250;

/// Ends with the verifier, which it does not hold.
pub(crate) async fn keep_verifying(verifier: Weak<Verifier>, client: Weak<Client>, time: Time) {
    loop {
        let sooner = RandomState::new().build_hasher().finish() % JITTER_MS;
        tokio::time::sleep(Duration::from_millis(REPORT_EVERY_MS - sooner)).await;
        let Some((verifier, client)) = verifier.upgrade().zip(client.upgrade()) else {
            return;
        };
        verifier.report(&client, &time).await;
    }
}
