//! A process that is killed while it writes leaves the last good revision in PostgreSQL.
// Proves: R6

use crate::{common::Place, killed::kills};

#[tokio::test(flavor = "multi_thread")]
async fn postgres_keeps_the_last_good_revision() {
    let place = Place::postgres();
    let url = place.postgres.as_ref().unwrap().url().to_owned();
    kills(place, &url).await;
}
