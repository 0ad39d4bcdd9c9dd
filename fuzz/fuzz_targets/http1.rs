//! Any bytes as a conversation over HTTP/1.1.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tollgate_testkit::fuzz::http1(data));
