//! Laws of the pool that need no schedule.
// Proves: C3

use tollgate_core::Limit;
use tollgate_sim::{
    Rng,
    pool::{
        Admission, Call, Charged, Guard, ModelHolder, Pool, Reply, Word, breach,
        is_kept_in_all_pairs,
    },
};
use tollgate_testkit::limit;

use super::{
    calls::{LIMITS, START},
    lua_pool::{LuaPool, Scripts},
};

fn call(limit: &Limit, sequence: u64, want: u64) -> Call {
    Call {
        node: "a".to_owned(),
        sequence,
        want,
        least: 1,
        most: limit.law().capacity(),
        life: 4 * limit.refresh().unwrap().get(),
        ..Call::default()
    }
}

#[test]
fn the_same_call_twice_is_the_same_as_once() {
    let scripts = Scripts::new();
    for text in LIMITS {
        let limit = limit(text);
        let mut pool = LuaPool::new(&scripts, &limit);
        for sequence in 1..20 {
            let now = START + sequence * 7_000;
            let call = Call { previous: sequence - 1, returned: 1, ..call(&limit, sequence, 3) };
            let Reply::Heard(first) = pool.lease(now, &limit, &call) else { panic!("{text}") };
            let (held, text_held) = (pool.record(now, &limit), pool.text());
            let Reply::Heard(again) = pool.lease(now, &limit, &call) else { panic!("{text}") };
            assert_eq!(
                (first.granted, first.left, first.total),
                (again.granted, again.left, again.total)
            );
            assert_eq!((held, text_held), (pool.record(now, &limit), pool.text()), "{text}");
        }
    }
}

/// One holder that asks for each token, and says at once that it has spent it, admits what exact counting does.
#[test]
fn one_holder_with_slices_of_one_is_exact() {
    let scripts = Scripts::new();
    let mut rng = Rng::new(11);
    for text in LIMITS {
        let limit = limit(text);
        let (mut lent, mut exact) =
            (LuaPool::new(&scripts, &limit), LuaPool::new(&scripts, &limit));
        let (mut holder, mut now) = (ModelHolder::new("a", &limit, Guard::Right), START);
        for number in 1..300_u64 {
            now += rng.pick(&[0, 0, 1, 1_000, 50_000, 400_000]);
            let call = holder.call(now, 3 * number, (1, 0));
            let reply = lent.lease(now, &limit, &call);
            holder.hear(now, call.sequence, &reply);
            let is_collapsed =
                matches!(&reply, Reply::Heard(figures) if figures.word == Word::Collapsed);
            let is_admitted = match is_collapsed {
                true => charge(&mut lent, now, &limit, 3 * number + 1),
                false => holder.take(now, 1),
            };
            let call = holder.call(now, 3 * number + 2, (0, 1));
            let reply = lent.lease(now, &limit, &call);
            holder.hear(now, call.sequence, &reply);
            assert_eq!(is_admitted, charge(&mut exact, now, &limit, number), "{text} at {now}");
        }
    }
}

fn charge(pool: &mut LuaPool, now: u64, limit: &Limit, sequence: u64) -> bool {
    match pool.charge(now, limit, ("a", sequence, 0), &[1]) {
        Charged::Decided { outcomes, .. } => outcomes == [true],
        other => panic!("{other:?}"),
    }
}

/// The recount that schedules are judged by is the law of a bucket as it is written down: for all pairs of admissions.
#[test]
fn the_judge_knows_every_interval() {
    let mut rng = Rng::new(5);
    let (mut kept, mut broken) = (0, 0);
    for _ in 0..2_000 {
        let limit = limit(rng.pick(&["10/s burst 10", "7/s burst 5"]));
        let mut at = START;
        let admissions: Vec<Admission> = (0..rng.between(1, 30))
            .map(|_| {
                at += rng.pick(&[0, 1, 100_000, 142_857, 300_000]);
                let cost = rng.between(1, 2);
                Admission { at, cost }
            })
            .collect();
        let is_kept = breach(&limit, &admissions, 0).is_none();
        assert_eq!(is_kept, is_kept_in_all_pairs(&limit, &admissions));
        *(if is_kept { &mut kept } else { &mut broken }) += 1;
    }
    assert!(kept > 100 && broken > 100, "{kept} kept, {broken} broken");
}

#[test]
fn a_key_that_is_not_ours_is_left_alone() {
    let limit = limit("10/s burst 10");
    let mut pool = LuaPool::new(&Scripts::new(), &limit);
    pool.put_foreign();
    assert_eq!(pool.lease(START, &limit, &call(&limit, 1, 3)), Reply::Foreign);
    assert_eq!(pool.charge(START, &limit, ("a", 1, 0), &[1]), Charged::Foreign);
}
