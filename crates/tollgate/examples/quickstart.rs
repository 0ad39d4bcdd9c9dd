//! A limiter in front of something, and what it says to those it turns away.
//!
//! Run it with `cargo run --package tollgate --example quickstart`.

#![expect(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::{error::Error, time::Duration};

use tollgate::{Cost, Limit, RateLimiter};

fn main() -> Result<(), Box<dyn Error>> {
    // Three at once, then one every ten seconds. A limit can say so itself.
    let limit = "6/min".parse::<Limit>()?.with_burst(3)?;
    println!("{limit}: {}", limit.explain());

    // No thread is started and nothing has to be stopped: keep the limiter in an `Arc` or a `static`.
    let limiter = RateLimiter::builder().limit(limit).build();

    // The short form, for those who only want to know whether to go on.
    assert!(limiter.is_allowed("user:42"));

    // The long form, for those who tell their client.
    for request in 2..=4 {
        let decision = limiter.check("user:42", Cost::ONE);
        if decision.is_allowed() {
            println!("request {request}: passed, {} left", decision.remaining());
            continue;
        }
        // The wait is exact. For a `Retry-After` header in whole seconds, round up.
        let wait = decision.retry_after().ok_or("a cost of 1 always fits")?;
        println!("request {request}: denied, try again in {wait:?}");
        assert_eq!(request, 4, "three pass at once");
        assert!(wait <= Duration::from_secs(10));
    }

    // Every key has a budget of its own.
    assert!(limiter.is_allowed("user:43"));
    Ok(())
}
