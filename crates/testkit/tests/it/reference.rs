//! The reference store keeps the contract that it is the measure of.

use tollgate_testkit::{ReferenceStore, store_contract};

store_contract!(reference, |clock: ManualClock| ReferenceStore::new(clock));
