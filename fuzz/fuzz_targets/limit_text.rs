//! Any bytes as the text of a limit.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tollgate_testkit::fuzz::limit_text(data));
