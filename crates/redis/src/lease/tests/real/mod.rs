//! On a real Redis.

mod redis_pool;
