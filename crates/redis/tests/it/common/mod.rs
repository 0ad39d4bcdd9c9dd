//! What the tests of a store share.

mod driven;

pub(crate) use driven::{on_virtual_time, until_up};
