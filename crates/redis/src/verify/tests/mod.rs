//! The verifier on virtual time.

mod real;
