//! The charges of a request, sorted by where they are decided.

use smallvec::SmallVec;
use tollgate_core::{Charge, Consistency};

use crate::{
    exact::{Item, Lanes},
    key::{Breadth, Names},
    slot::Slot,
};

/// Charges that one script decides: those of one slot, or all on a single server.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) slot: Slot,
    pub(super) breadth: Breadth,
    /// Which charges of the request these are.
    pub(super) places: SmallVec<[usize; 2]>,
    pub(super) items: SmallVec<[Item; 2]>,
}

/// Where the charges of a request are decided.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    /// On this node, because their rules say so.
    pub(super) here: SmallVec<[usize; 2]>,
    /// By Redis, from the scope that fewest share to the one that most do: whoever is denied by his own limit costs
    /// the others nothing.
    pub(super) groups: SmallVec<[Group; 1]>,
}

/// Sorts those that are not decided yet.
pub(super) fn sort(
    charges: &[Charge<'_>],
    is_open: impl Fn(usize) -> bool,
    lanes: &Lanes,
    names: &Names,
) -> Sorted {
    let mut sorted = Sorted::default();
    let open = charges.iter().enumerate();
    for (place, charge) in open.filter(|(place, _)| is_open(*place)) {
        if charge.policy.consistency == Consistency::Local {
            sorted.here.push(place);
            continue;
        }
        let item = Item::new(charge, names);
        let slot = lanes.slot_of(&item.key);
        let known = sorted.groups.iter_mut().find(|group| group.slot == slot);
        match known {
            Some(group) => {
                group.breadth = group.breadth.max(item.breadth);
                group.places.push(place);
                group.items.push(item);
            }
            None => sorted.groups.push(Group {
                slot,
                breadth: item.breadth,
                places: SmallVec::from_iter([place]),
                items: SmallVec::from_iter([item]),
            }),
        }
    }
    sorted.groups.sort_by_key(|group| group.breadth);
    sorted
}
