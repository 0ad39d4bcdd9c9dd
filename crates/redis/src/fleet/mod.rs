//! Charges of one request, wherever they are decided: all of them or none.

mod course;
mod denials;
mod group;
mod leased;
mod policy;
mod side_door;
mod underway;

pub(crate) use course::Fleet;
pub(crate) use policy::{Manner, Policies};
