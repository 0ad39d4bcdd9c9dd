//! HTTP/1.1 as a state machine: bytes in, requests out, answers appended to a buffer.
