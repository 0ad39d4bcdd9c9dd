//! Certificates and handshakes.
