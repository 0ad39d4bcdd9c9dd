//! Any bytes as what a client wrote into the header of a proxy.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tollgate_testkit::fuzz::forwarded(data));
