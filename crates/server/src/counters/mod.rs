//! Counters that outlive the process.
