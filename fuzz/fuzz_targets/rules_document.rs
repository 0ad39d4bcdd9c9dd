//! Any bytes as a rules file.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tollgate_testkit::fuzz::rules_document(data));
