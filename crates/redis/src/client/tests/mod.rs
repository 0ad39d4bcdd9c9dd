//! The way to real servers, single and Cluster.

mod cluster;
mod common;
mod faults;
mod single;
mod survey;
