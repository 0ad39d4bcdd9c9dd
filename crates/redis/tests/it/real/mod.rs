//! On real servers: Redis, Valkey and Clusters of them.

mod contract;
mod expiry;
mod faults;
mod golden;
mod heard;
mod leases;
mod memory;
mod order;
