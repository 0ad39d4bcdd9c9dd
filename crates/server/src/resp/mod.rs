//! Decisions over the Redis protocol.
