//! What the scripts and the ledger come to together.

mod real;
mod turns;
