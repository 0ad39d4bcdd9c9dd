//! Requests that weigh more than others: an upload is charged by its size.
//!
//! Run it with `cargo run --package tollgate --example weighted_cost`.

#![expect(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::error::Error;

use tollgate::{Cost, ManualClock, RateLimiter};

const CHUNK_BYTES: u64 = 1_024;

/// A unit for each chunk that was begun: rounding down would make small uploads free.
fn cost_of(bytes: u64) -> Cost {
    Cost::new(bytes.div_ceil(CHUNK_BYTES))
}

fn main() -> Result<(), Box<dyn Error>> {
    // A megabyte a day for each user, in chunks of a kilobyte. On a clock of our own, so that the day
    // does not end while the example runs; leave this out in a program.
    let limiter =
        RateLimiter::builder().limit("1024/day".parse()?).clock(ManualClock::start()).build();

    let upload = limiter.check("ann", cost_of(300_000));
    assert!(upload.is_allowed());
    println!("300,000 bytes: passed, {} chunks left", upload.remaining());
    assert_eq!(upload.remaining(), 1_024 - 293);

    // Too much for now. Nothing is taken, so a smaller upload still passes.
    let upload = limiter.check("ann", cost_of(800_000));
    assert!(!upload.is_allowed());
    let wait = upload.retry_after().ok_or("it fits an empty limit")?;
    println!("800,000 bytes: denied, try again in {wait:?}");

    // More than the limit can ever hold. No wait would help, and the answer says so.
    let upload = limiter.check("ann", cost_of(2_000_000));
    assert!(!upload.is_allowed());
    assert_eq!(upload.retry_after(), None);
    println!("2,000,000 bytes: denied for good");

    // The client hung up half-way: what was not used goes back.
    let left = limiter.refund("ann", cost_of(150_000)).remaining();
    assert_eq!(left, 1_024 - 293 + 147);

    // A cost of zero is always allowed and only looks.
    assert_eq!(limiter.check("ann", Cost::ZERO).remaining(), left);
    println!("{left} chunks left");
    Ok(())
}
