//! The settings: flags, variables, keys of the file, `tollgate config` and the manual all come from here.

use super::{identity, setting::Setting, table::GENERAL};

/// Every setting, in the order in which they are shown.
pub const SETTINGS: &[Setting] = &joined::<{ GENERAL.len() + identity::ROWS.len() }>();

/// The general ones and those of identity.
const fn joined<const N: usize>() -> [Setting; N] {
    let mut all = [Setting::optional("", "", ""); N];
    let (mut rest, mut general, mut identity) = (all.as_mut_slice(), GENERAL, identity::ROWS);
    while let Some((place, places)) = rest.split_first_mut() {
        if let Some((row, rows)) = general.split_first() {
            (*place, general) = (*row, rows);
        } else if let Some((row, rows)) = identity.split_first() {
            (*place, identity) = (*row, rows);
        }
        rest = places;
    }
    all
}
