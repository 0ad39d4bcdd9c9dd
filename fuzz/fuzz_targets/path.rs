//! Any bytes as the path of a request.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tollgate_testkit::fuzz::path(data));
