//! What a scrape says.
// Proves: O1

mod bounds;
mod exposition;
