//! Who comes from envoyproxy/ratelimit: its own examples as our rules, and the same requests to both.

mod examples;
mod model;
mod stories;
