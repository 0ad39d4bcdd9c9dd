//! Any bytes as the address of a client.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tollgate_testkit::fuzz::address(data));
