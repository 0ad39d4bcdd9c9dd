//! How long leased decisions take while Redis answers late.

use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use tollgate_testkit::{proxy::Proxy, redis::Redis};

use super::rig::{Rig, ample};
use crate::depth::Depth;

/// Times in microseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Late {
    pub(crate) delay_ms: f64,
    pub(crate) soon_p50_us: f64,
    pub(crate) soon_p99_us: f64,
    pub(crate) late_p50_us: f64,
    pub(crate) late_p99_us: f64,
}

const DELAY: Duration = Duration::from_millis(15);
/// One decision after the other, so many a second.
const EVERY: Duration = Duration::from_micros(50);

pub(super) fn run(server: &Redis, depth: Depth) -> anyhow::Result<Late> {
    let (rounds, length) = depth.pick((1, Duration::from_millis(300)), (5, Duration::from_secs(2)));
    let proxy = Proxy::to(server.address());
    let rig = Rig::start(&format!("redis://{}", proxy.addr()))?;
    let names = ["late".to_owned()];
    rig.warm(&names, &ample());
    let [mut soon, mut late] = [(); 2].map(|()| Histogram::<u64>::new(3).expect("a histogram"));
    let _within = rig.enter();
    for _ in 0..rounds {
        proxy.flow();
        // Refreshes that were under way are over.
        pace(&rig, length / 4, None);
        pace(&rig, length, Some(&mut soon));
        proxy.slow(DELAY);
        pace(&rig, length / 4, None);
        pace(&rig, length, Some(&mut late));
    }
    let at = |times: &Histogram<u64>, part: f64| times.value_at_quantile(part) as f64 / 1e3;
    Ok(Late {
        delay_ms: DELAY.as_secs_f64() * 1e3,
        soon_p50_us: at(&soon, 0.5),
        soon_p99_us: at(&soon, 0.99),
        late_p50_us: at(&late, 0.5),
        late_p99_us: at(&late, 0.99),
    })
}

fn pace(rig: &Rig, length: Duration, mut times: Option<&mut Histogram<u64>>) {
    let (limit, start) = (ample(), Instant::now());
    let mut due = start;
    while start.elapsed() < length {
        while Instant::now() < due {
            std::hint::spin_loop();
        }
        due += EVERY;
        let begun = Instant::now();
        let verdict = rig.decide("late", &limit);
        let took = begun.elapsed().as_nanos() as u64;
        assert!(verdict.is_allowed());
        if let Some(times) = times.as_deref_mut() {
            times.record(took).expect("within range");
        }
    }
}
