//! The way to real servers, single and Cluster.

mod cluster;
mod common;
mod faults;
mod lineage;
mod network;
mod push;
mod single;
mod survey;
