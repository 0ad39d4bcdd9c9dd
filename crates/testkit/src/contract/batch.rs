//! Many requests in one call.

use tollgate_core::{Charge, ImmediateStore};

use super::{
    Make, Rig,
    rig::{MS, S, charge_of},
};
use crate::{Rng, limit};

/// A batch gets the verdicts that its requests would get one after the other.
// Proves: D11
pub fn a_batch_decides_like_one_by_one<T: ImmediateStore>(make: &impl Make<Store = T>) {
    let limits = [
        "10/s burst 4",
        "9/2s leaky_bucket burst 3",
        "20/min fixed_window",
        "30/2min",
        "90/h sliding_log",
        "18446744073709551615/day",
    ]
    .map(limit);
    let keys: [&[u8]; 5] = [b"a", b"b", b"c", b"d", b""];
    let (rig, twin) = (Rig::new(make), Rig::new(make));
    let mut rng = Rng::new(37);
    for _ in 0..400 {
        let pause = rng.pick(&[1, MS, S]);
        let pause = rng.below(pause);
        rig.pass(pause);
        twin.pass(pause);
        let requests: Vec<Vec<Charge<'_>>> = (0..rng.below(40))
            .map(|_| {
                let several = if rng.one_in(4) { rng.below(4) } else { 1 };
                let one = |_| charge_of(rng.pick(&keys), &limits[rng.index(6)], rng.below(4));
                (0..several).map(one).collect()
            })
            .collect();
        let borrowed: Vec<&[Charge<'_>]> = requests.iter().map(Vec::as_slice).collect();
        let mut batch = vec![rig.charge(&[])];
        rig.store.charge_batch_now(&borrowed, &mut batch);
        let mut one_by_one = vec![twin.charge(&[])];
        one_by_one.extend(requests.iter().map(|charges| twin.charge(charges)));
        assert_eq!(batch, one_by_one, "appended, in order");
    }
}
