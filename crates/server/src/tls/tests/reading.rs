//! Files that hang.

use std::{sync::mpsc, time::Duration};

use super::super::keeper::Reading;

const SOON: Duration = Duration::from_millis(10);
const LONG: Duration = Duration::from_secs(60);

// Proves: S7
#[tokio::test]
async fn a_read_that_hangs_is_not_waited_for_and_none_is_started_beside_it() {
    let mut reading = Reading::new(SOON);
    let (come_back, gone) = mpsc::sync_channel(1);
    let hangs = move || gone.recv_timeout(LONG).unwrap();
    assert_eq!(reading.done(hangs).await, None);
    for _ in 0..3 {
        assert_eq!(reading.done(|| "another").await, None);
    }
    come_back.send("the first").unwrap();
    let read = loop {
        if let Some(read) = reading.done(|| "another").await {
            break read;
        }
        tokio::time::sleep(SOON).await;
    };
    assert_eq!(read, "the first");
    let mut reading = Reading::new(LONG);
    assert_eq!(reading.done(|| "at once").await, Some("at once"));
    assert_eq!(reading.done(|| "and again").await, Some("and again"));
}
