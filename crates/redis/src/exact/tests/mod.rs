//! What the scripts and the ledger come to together.

mod once;
mod turns;
