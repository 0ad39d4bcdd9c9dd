//! Black-box stories over TLS with programs of others.

mod hanging;
mod listeners;
