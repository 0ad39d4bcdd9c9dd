//! The memory store keeps the contract of every store.

use tollgate_memory::MemoryStore;
use tollgate_testkit::store_contract;

// Proves: C1, D1, D3, D4, D5, D6, D7, D8, D10, D11, D14
store_contract!(memory, |clock: ManualClock| MemoryStore::with_capacity(100_000, clock));
