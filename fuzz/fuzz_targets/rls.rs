//! Any bytes as a question of Envoy's rate limit service.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tollgate_server::any_rls_question(data));
