//! The contract in PostgreSQL.
// Proves: R6, R12

crate::contract::contract!(postgres);
