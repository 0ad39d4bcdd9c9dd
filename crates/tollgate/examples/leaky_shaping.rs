//! Shaping: requests are not only counted, they are spaced.
//!
//! A leaky bucket admits a few requests more than may run at once and tells each how long to wait, so
//! that whatever comes after it sees an even stream.
//!
//! Run it with `cargo run --package tollgate --example leaky_shaping`.

#![expect(clippy::print_stdout, reason = "an example talks to the terminal")]

use std::{error::Error, time::Duration};

use tollgate::{AlgorithmName, Cost, Limit, ManualClock, RateLimiter};

fn main() -> Result<(), Box<dyn Error>> {
    // One every 100 ms. One goes at once, three more may wait their turn.
    let limit =
        "10/s".parse::<Limit>()?.with_algorithm(AlgorithmName::LeakyBucket)?.with_burst(3)?;
    println!("{limit}: {}", limit.explain());

    // On a clock of our own, so that the example runs in no time. Leave this out in a program.
    let clock = ManualClock::start();
    let mailer = RateLimiter::builder().limit(limit).clock(clock.clone()).build();

    // Six mails at the same moment.
    let mut departures = Vec::new();
    for mail in 1..=6 {
        let decision = mailer.check("smtp.example", Cost::ONE);
        if decision.is_allowed() {
            // A program would sleep this long, then send. `is_allowed` alone hides the delay: with a
            // leaky bucket, ask for the decision.
            println!("mail {mail}: leaves in {:?}", decision.delay());
            departures.push(decision.delay());
            continue;
        }
        let wait = decision.retry_after().ok_or("a cost of 1 always fits")?;
        println!("mail {mail}: the queue is full, try again in {wait:?}");
        assert_eq!(wait, Duration::from_millis(100));
    }
    assert_eq!(departures, [0, 100, 200, 300].map(Duration::from_millis));

    // A moment later the first of those who wait has left, and one more may queue behind the others.
    clock.advance(Duration::from_millis(100));
    let decision = mailer.check("smtp.example", Cost::ONE);
    assert!(decision.is_allowed());
    assert_eq!(decision.delay(), Duration::from_millis(300));
    println!("100 ms later: leaves in {:?}", decision.delay());
    Ok(())
}
