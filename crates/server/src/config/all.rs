//! The settings: flags, variables, keys of the file, `tollgate config` and the manual all come from here.

use super::{authority, identity, setting::Setting, table::GENERAL};

/// Every setting, in the order in which they are shown.
pub const SETTINGS: &[Setting] =
    &joined::<{ GENERAL.len() + authority::ROWS.len() + identity::ROWS.len() }>();

/// The general ones, those of authority and those of identity.
const fn joined<const N: usize>() -> [Setting; N] {
    let mut all = [Setting::optional("", "", ""); N];
    let mut rest = all.as_mut_slice();
    let (mut general, mut powers, mut identity) = (GENERAL, authority::ROWS, identity::ROWS);
    while let Some((place, places)) = rest.split_first_mut() {
        if let Some((row, rows)) = general.split_first() {
            (*place, general) = (*row, rows);
        } else if let Some((row, rows)) = powers.split_first() {
            (*place, powers) = (*row, rows);
        } else if let Some((row, rows)) = identity.split_first() {
            (*place, identity) = (*row, rows);
        }
        rest = places;
    }
    all
}
