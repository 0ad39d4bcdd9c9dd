//! The model checker runs the shipped slot protocol through every interleaving, and every value that a
//! processor with weak memory may read, of a few threads on one or two slots.
// Proves: C1, D3, D4

use loom::{
    sync::{Arc, atomic::AtomicU64},
    thread,
};

use slot::Slot;
use word::Word;

#[path = "../../src/slot.rs"]
#[allow(dead_code, reason = "the store uses all of it")]
mod slot;
/// What `src/sync.rs` is to the store, from the model checker.
mod sync {
    pub(crate) use loom::sync::atomic::{AtomicU64, Ordering};

    pub(crate) fn wait(_turn: u32) {
        loom::thread::yield_now();
    }
}
#[path = "../../src/word.rs"]
#[allow(dead_code, reason = "the store uses all of it")]
mod word;

const ALICE: u64 = 0xa11ce;
const BOB: u64 = 0xb0b;
const CAROL: u64 = 0xca201;

struct Place {
    fingerprint: AtomicU64,
    word: AtomicU64,
}

impl Place {
    fn new(owner: u64, word: Word) -> Arc<Self> {
        Arc::new(Self { fingerprint: AtomicU64::new(owner), word: AtomicU64::new(word.bits()) })
    }

    fn slot(&self) -> Slot<'_> {
        Slot { fingerprint: &self.fingerprint, word: &self.word }
    }

    fn count(&self) -> u64 {
        self.slot().read().payload()
    }

    /// As the store's fast way: finds the owner, then reads, decides and swaps. `None` if the slot is
    /// not the owner's.
    fn charge(&self, owner: u64, budget: u64) -> Option<bool> {
        let slot = self.slot();
        if slot.owner() != owner {
            return None;
        }
        loop {
            let word = slot.read_of(owner)?;
            if word.payload() >= budget {
                return Some(false);
            }
            if slot.swap(word, one_more(word)) {
                return Some(true);
            }
        }
    }

    /// One more for Alice, the slot held meanwhile; says how much there was.
    fn charge_held(&self) -> Option<u64> {
        let slot = self.slot();
        let word = slot.hold(ALICE)?;
        assert_eq!(slot.owner(), ALICE, "as long as it is held");
        slot.release(one_more(word));
        Some(word.payload())
    }
}

fn counted(count: u64) -> Word {
    Word::EMPTY.with_state(1, count)
}

fn one_more(word: Word) -> Word {
    word.with_state(1, word.payload() + 1)
}

/// Every run, without a bound. Two threads suffice for what one slot can suffer; with three, two that
/// wait for the third can pass the turn to each other for ever, and no checker comes to an end.
fn explore(scenario: impl Fn() + Send + Sync + 'static) {
    loom::model(scenario);
}

/// Runs two sides at once and returns what they say.
#[expect(clippy::unwrap_used, reason = "a panic there is a failure here")]
fn race<A: 'static, B>(
    place: &Arc<Place>,
    one: impl FnOnce(&Place) -> A + 'static,
    other: impl FnOnce(&Place) -> B,
) -> (A, B) {
    let shared = Arc::clone(place);
    let thread = thread::spawn(move || one(&shared));
    let said = other(place);
    (thread.join().unwrap(), said)
}

#[test]
fn two_requests_for_the_last_unit_pass_one() {
    explore(|| {
        let place = Place::new(ALICE, counted(2));
        let (one, other) = race(
            &place,
            |place| place.charge(ALICE, 3).unwrap(),
            |place| place.charge(ALICE, 3).unwrap(),
        );
        assert!(one ^ other, "exactly one passes");
        assert_eq!(place.count(), 3);
    });
}

#[test]
fn every_unit_that_passed_is_counted() {
    explore(|| {
        let place = Place::new(ALICE, counted(0));
        let both =
            race(&place, |place| place.charge(ALICE, 9), |place| place.charge_held().unwrap());
        assert_eq!(both.0, Some(true));
        assert_eq!(place.count(), 2);
    });
}

/// Takes one unit from both slots or from none, as a transaction does.
fn charge_both(first: &Place, second: &Place, budget: u64) -> Option<bool> {
    let (one, other) = (first.slot().hold(ALICE)?, second.slot().hold(BOB)?);
    let fits = one.payload() < budget && other.payload() < budget;
    let after = |word| if fits { one_more(word) } else { word };
    first.slot().release(after(one));
    second.slot().release(after(other));
    Some(fits)
}

#[test]
fn charges_on_two_slots_are_all_or_none() {
    explore(|| {
        let (first, second) = (Place::new(ALICE, counted(0)), Place::new(BOB, counted(0)));
        let (one, other) = (Arc::clone(&first), Arc::clone(&second));
        let together = thread::spawn(move || charge_both(&one, &other, 1).unwrap());
        let alone = first.charge(ALICE, 1).unwrap();
        let together = together.join().unwrap();
        assert!(together ^ alone, "there was one unit");
        assert_eq!(first.count(), 1);
        assert_eq!(second.count(), u64::from(together));
    });
}

#[test]
fn two_that_charge_both_slots_pass_one() {
    explore(|| {
        let (first, second) = (Place::new(ALICE, counted(0)), Place::new(BOB, counted(0)));
        let (one, other) = (Arc::clone(&first), Arc::clone(&second));
        let there = thread::spawn(move || charge_both(&one, &other, 1).unwrap());
        let here = charge_both(&first, &second, 1).unwrap();
        assert!(there.join().unwrap() ^ here);
        assert_eq!((first.count(), second.count()), (1, 1));
    });
}

#[test]
fn nobody_sees_half_of_a_charge_on_two_slots() {
    explore(|| {
        let (first, second) = (Place::new(ALICE, counted(0)), Place::new(BOB, counted(0)));
        let (one, other) = (Arc::clone(&first), Arc::clone(&second));
        let together = thread::spawn(move || charge_both(&one, &other, 1));
        let seen = (first.count(), second.count());
        assert_ne!(seen, (1, 0), "the first was charged, so was the second");
        let seen = (second.count(), first.count());
        assert_ne!(seen, (1, 0), "the second was charged, so was the first");
        assert_eq!(together.join().unwrap(), Some(true));
    });
}

/// Bob starts with the very state Alice had, so only the hands differ.
#[test]
fn a_charge_prepared_for_the_former_owner_never_lands_on_the_next() {
    explore(|| {
        let place = Place::new(ALICE, counted(1));
        let (charged, claimed) = race(
            &place,
            |place| place.charge(ALICE, 9),
            |place| {
                let is_claimed = place.slot().claim((ALICE, counted(1)), BOB, counted(1));
                let charged = place.charge(BOB, 9);
                assert_eq!(charged, is_claimed.then_some(true));
                is_claimed
            },
        );
        assert_eq!(charged, (!claimed).then_some(true));
        assert_eq!(place.count(), 2, "Alice's one and hers, or Bob's one and his");
    });
}

#[test]
fn two_claims_of_an_empty_slot_have_one_winner_whom_the_loser_sees() {
    explore(|| {
        fn claim(slot: Slot<'_>, owner: u64) -> bool {
            let is_won = slot.claim((0, Word::EMPTY), owner, counted(owner));
            let word = slot.read();
            assert_eq!(word.payload(), slot.owner(), "the winner's word");
            assert_eq!(slot.owner() == owner, is_won);
            is_won
        }
        let place = Place::new(0, Word::EMPTY);
        let (bob, alice) =
            race(&place, |place| claim(place.slot(), BOB), |place| claim(place.slot(), ALICE));
        assert!(bob ^ alice);
    });
}

#[test]
fn a_hold_and_a_claim_exclude_each_other() {
    explore(|| {
        let place = Place::new(ALICE, counted(1));
        let (held, claimed) = race(&place, Place::charge_held, |place| {
            place.slot().claim((ALICE, counted(1)), BOB, counted(5))
        });
        assert_eq!(held, (!claimed).then_some(1));
        assert_eq!(place.count(), if claimed { 5 } else { 2 });
    });
}

#[test]
fn whoever_sees_an_owner_reads_its_word_and_no_other() {
    explore(|| {
        let place = Place::new(ALICE, counted(1));
        let ((), claimed) = race(
            &place,
            |place| {
                let slot = place.slot();
                for (owner, count) in [(ALICE, 1), (BOB, 5)] {
                    if slot.owner() == owner
                        && let Some(word) = slot.read_of(owner)
                    {
                        assert_eq!(word.payload(), count);
                    }
                }
            },
            |place| place.slot().claim((ALICE, counted(1)), BOB, counted(5)),
        );
        assert!(claimed, "nobody else writes");
    });
}

/// Alice's word comes round: the slot goes to Bob, then to Carol with the word that Alice had.
fn changes_hands_twice(slot: Slot<'_>) -> (bool, bool) {
    let first = slot.claim((ALICE, counted(1)), BOB, counted(1));
    let second = slot.claim((BOB, counted(1).flipped()), CAROL, counted(1));
    (first, second)
}

#[test]
fn a_hold_prepared_two_owners_ago_is_let_go() {
    explore(|| {
        let place = Place::new(ALICE, counted(1));
        let (held, changed) =
            race(&place, Place::charge_held, |place| changes_hands_twice(place.slot()));
        assert_eq!(held.is_some(), !changed.0);
        assert_eq!(place.count(), if changed.0 { 1 } else { 2 });
    });
}

#[test]
fn a_claim_prepared_two_owners_ago_fails() {
    explore(|| {
        let place = Place::new(ALICE, counted(1));
        let (claimed, changed) = race(
            &place,
            |place| place.slot().claim((ALICE, counted(1)), 0xda5e, counted(7)),
            |place| changes_hands_twice(place.slot()),
        );
        assert_eq!(claimed, !changed.0, "one of them took it from Alice");
        assert_eq!(place.count(), if claimed { 7 } else { 1 });
    });
}
