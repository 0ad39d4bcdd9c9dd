//! Any bytes as the body of a check, and of a batch of checks.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tollgate_testkit::fuzz::check_json(data));
