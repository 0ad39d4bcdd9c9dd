//! Behind NGINX.
// Proves: S4
