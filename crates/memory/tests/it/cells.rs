//! `CL.THROTTLE`: the table answers as the model of redis-cell does, at its bound and after a restart.
// Proves: S3, C1

use std::thread;

use tollgate_core::{Clock, ManualClock, Micros, Now, SystemClock, Timestamp};
use tollgate_memory::{CellStore, LoadError, MemoryStore, Throttle, ThrottleError};
use tollgate_sim::{
    Rng,
    model::{CellAsk, CellModel},
};

const fn per_day(max_burst: i64) -> Throttle {
    Throttle { max_burst, count: 1, period_s: 86_400, quantity: 1 }
}

fn five(
    cells: &CellStore<ManualClock>,
    key: &[u8],
    ask: Throttle,
) -> Result<[i64; 5], ThrottleError> {
    let answer = cells.throttle(key, ask)?;
    Ok([
        i64::from(answer.is_limited),
        answer.limit,
        answer.remaining,
        answer.retry_after_s,
        answer.reset_after_s,
    ])
}

/// Both sides of one comparison.
struct Pair {
    clock: ManualClock,
    cells: CellStore<ManualClock>,
    model: CellModel,
}

impl Pair {
    fn new(start: Timestamp) -> Self {
        let clock = ManualClock::at(start);
        Self {
            cells: CellStore::with_capacity(1_000, clock.clone()),
            clock,
            model: CellModel::new(),
        }
    }

    fn agree(&mut self, key: &[u8], ask: Throttle) {
        let now = i128::from(self.clock.now().steady.as_micros()) * 1_000;
        let asked = CellAsk {
            max_burst: ask.max_burst,
            count: ask.count,
            period_s: ask.period_s,
            quantity: ask.quantity,
        };
        let expected = self.model.throttle(key, asked, now);
        let found = five(&self.cells, key, ask).map_err(|error| error.to_string());
        assert_eq!(found, expected.map_err(str::to_owned), "{ask:?} for {key:?} at {now}");
    }
}

fn signed(rng: &mut Rng, low: i64, high: i64) -> i64 {
    let span = high.abs_diff(low);
    low.saturating_add_unsigned(rng.between(0, span))
}

/// What people write: few at a time, a second to some days.
fn sane(rng: &mut Rng) -> Throttle {
    Throttle {
        max_burst: signed(rng, 0, 30),
        count: signed(rng, 1, 1_000),
        period_s: rng.pick(&[1, 1, 2, 10, 60, 3_600, 86_400, 604_800]),
        quantity: rng.pick(&[1, 1, 1, 1, 0, 2, 5, 40]),
    }
}

/// Anything at all.
fn wild(rng: &mut Rng) -> Throttle {
    let mut any = || {
        let size = rng.any_size().cast_signed();
        match rng.below(8) {
            0 => i64::MAX,
            1 => i64::MIN,
            2 => signed(rng, -3, 3),
            3 => size.wrapping_neg(),
            _ => size,
        }
    };
    Throttle { max_burst: any(), count: any(), period_s: any(), quantity: any() }
}

#[test]
fn a_million_calls_with_the_numbers_people_write() {
    let mut rng = Rng::new(1);
    for _ in 0..1_000 {
        let mut pair = Pair::new(Timestamp::from_secs(1_767_225_600));
        let mut ask = sane(&mut rng);
        for _ in 0..1_000 {
            if rng.one_in(50) {
                ask = sane(&mut rng);
            }
            let key = [b'k', u8::try_from(rng.below(3)).unwrap()];
            let quantity = rng.pick(&[ask.quantity, ask.quantity, 1, 0, 3, -1]);
            pair.agree(&key, Throttle { quantity, ..ask });
            let pause = match rng.below(4) {
                0 => 0,
                1 => rng.between(0, 2_000),
                2 => rng.between(0, 3_000_000),
                _ => rng.any_size() >> rng.between(24, 60),
            };
            pair.clock.advance(Micros::new(pause));
        }
    }
}

#[test]
fn a_million_calls_with_any_numbers() {
    let mut rng = Rng::new(2);
    for _ in 0..2_000 {
        let mut pair = Pair::new(Timestamp::from_micros(rng.any_size() >> 8));
        for _ in 0..500 {
            let ask = if rng.one_in(3) { sane(&mut rng) } else { wild(&mut rng) };
            pair.agree(b"k", ask);
            pair.clock.advance(Micros::new(rng.any_size() >> 16));
            let now = pair.clock.now();
            if now.steady.as_micros() > i64::MAX.unsigned_abs() / 2_000 {
                break;
            }
        }
    }
}

#[test]
fn the_ends_of_the_range_and_of_time() {
    let ends = [i64::MIN, -1, 0, 1, i64::MAX];
    for moment in [Timestamp::EPOCH, Timestamp::from_secs(1), Timestamp::MAX] {
        let cells = CellStore::with_capacity(10, ManualClock::at(moment));
        // Every choice of four, as the digits of a number.
        for choice in 0..ends.len().pow(4) {
            let end = |digit: u32| ends[choice / ends.len().pow(digit) % ends.len()];
            let ask =
                Throttle { max_burst: end(0), count: end(1), period_s: end(2), quantity: end(3) };
            let refused = cells.throttle(b"k", ask).is_err();
            assert!(refused || ask.count != 0 && ask.period_s != 0, "{ask:?}");
        }
    }
}

/// A clock that is set back finds the key owing what it owed, never a free burst.
#[test]
fn an_earlier_moment_is_no_reason_to_pass() {
    let clock = ManualClock::start();
    let cells = CellStore::with_capacity(10, clock.clone());
    let start = clock.now();
    assert_eq!(five(&cells, b"k", per_day(0)), Ok([0, 1, 0, -1, 86_400]));
    clock.set(Now::at(start.steady.saturating_sub(Micros::from_secs(60))));
    let answer = five(&cells, b"k", per_day(0));
    assert_eq!(answer, Ok([1, 1, 0, 86_460, 86_460]));
}

#[test]
fn a_thousand_at_once_pass_as_often_as_promised() {
    let cells = CellStore::with_capacity(100, ManualClock::start());
    let allowed: usize = thread::scope(|scope| {
        let ask = |_| {
            let one = || !cells.throttle(b"k", per_day(99)).unwrap().is_limited;
            scope.spawn(move || (0..250).filter(|_| one()).count())
        };
        let threads: Vec<_> = (0..4).map(ask).collect();
        threads.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert_eq!(allowed, 100);
}

#[test]
fn at_the_bound_whoever_owes_the_least_makes_room() {
    let clock = ManualClock::start();
    let cells = CellStore::with_capacity(1_000, clock.clone());
    let deep = Throttle { quantity: 100, ..per_day(99) };
    assert_eq!(five(&cells, b"deep", deep).map(|five| five[0]), Ok(0));
    let capacity = cells.stats().capacity;
    for number in 0..20 * capacity {
        let answer = cells.throttle(&number.to_le_bytes(), per_day(9)).unwrap();
        assert!(!answer.is_limited, "a new key is served");
    }
    let stats = cells.stats();
    assert!(stats.keys <= capacity, "{stats:?}");
    assert!(stats.evicted >= 19 * capacity, "{stats:?}");
    assert!(stats.bytes_max < 24 * 1_400, "{stats:?}");
    assert_eq!(five(&cells, b"deep", deep).map(|five| five[0]), Ok(1));

    // What has run out is no loss.
    clock.advance(Micros::from_secs(101 * 86_400));
    let evicted = cells.stats().evicted;
    for number in 0..capacity / 2 {
        cells.throttle(&number.to_le_bytes(), per_day(9)).unwrap();
    }
    assert_eq!(cells.stats().evicted, evicted);
}

#[test]
fn keys_up_to_the_capacity_keep_their_places() {
    let cells = CellStore::with_capacity(10_000, ManualClock::start());
    for round in 0..2 {
        for number in 0..10_000_u32 {
            let answer = cells.throttle(&number.to_le_bytes(), per_day(0)).unwrap();
            assert_eq!(answer.is_limited, round == 1, "{number}");
        }
    }
    let stats = cells.stats();
    assert_eq!((stats.keys, stats.evicted), (10_000, 0));
}

#[test]
fn those_who_owe_for_an_hour_survive_a_restart() {
    let clock = ManualClock::start();
    let cells = CellStore::with_capacity(1_000, clock.clone());
    let short = Throttle { count: 1, period_s: 3_599, ..per_day(0) };
    assert_eq!(five(&cells, b"short", short).map(|five| five[0]), Ok(0));
    assert_eq!(five(&cells, b"long", per_day(0)).map(|five| five[0]), Ok(0));
    let mut file = Vec::new();
    assert_eq!(cells.save(&mut file).ok(), Some(1));

    let load = |at: ManualClock| CellStore::load(file.as_slice(), 50, at).unwrap();
    // Elsewhere elapsed time began anew; an hour passed by the time of day.
    let later = clock.now().wall.saturating_add(Micros::from_secs(3_600));
    let elsewhere = ManualClock::at(Timestamp::from_secs(5));
    elsewhere.set(Now { wall: later, steady: Timestamp::from_secs(5) });
    let restarted = load(elsewhere);
    let left = 86_400 - 3_600;
    assert_eq!(five(&restarted, b"long", per_day(0)), Ok([1, 1, 0, left, left]));
    assert_eq!(five(&restarted, b"short", short).map(|five| five[0]), Ok(0));
    // The time of day was set back: nobody owes more for it.
    let before = load(ManualClock::at(Timestamp::from_secs(1_000)));
    let answer = five(&before, b"long", per_day(0));
    assert_eq!(answer, Ok([1, 1, 0, 86_400, 86_400]));
}

#[test]
fn files_are_not_taken_for_one_another_and_damage_is_noticed() {
    let cells = CellStore::with_capacity(10, ManualClock::start());
    assert!(cells.throttle(b"k", per_day(0)).is_ok());
    let mut good = Vec::new();
    assert_eq!(cells.save(&mut good).ok(), Some(1));
    let error = MemoryStore::load(good.as_slice(), 10, SystemClock).unwrap_err();
    assert!(matches!(error, LoadError::NotOurs), "{error}");
    for place in 0..good.len() {
        let mut bad = good.clone();
        bad[place] ^= 0x10;
        assert!(CellStore::load(bad.as_slice(), 10, SystemClock).is_err(), "{place}");
        assert!(CellStore::load(&good[..place], 10, SystemClock).is_err(), "{place}");
    }
}
