//! What certificates say, and when it is told.

mod names;
mod reading;
mod standings;
