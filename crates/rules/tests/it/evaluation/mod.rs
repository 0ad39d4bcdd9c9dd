//! Section 12 of the specification, sentence by sentence.

// Proves: R1, R2, R3, R4, R12, D14

mod words;

mod counters;
mod identity;
mod keys;
mod missing;
mod numbers;
mod order;
mod overrides;
mod scope;
mod stops;
mod tiers;
