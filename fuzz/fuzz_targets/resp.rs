//! Any bytes as commands of the Redis protocol.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tollgate_testkit::resp::any_bytes(data));
