//! What starts PostgreSQL, Redis and Valkey.

mod postgres;
mod postgres_lifetime;
mod redis;
mod redis_lifetime;
