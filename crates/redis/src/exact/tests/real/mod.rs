//! On a real Redis.

mod once;
