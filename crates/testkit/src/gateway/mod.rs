//! Real gateways for tests, each with a folder and a port of its own, gone afterwards however the test
//! ends: NGINX, HAProxy and Caddy. Everything here panics when it fails, and nothing waits without a
//! deadline. A missing program is a failure.

mod caddy;
mod haproxy;
mod nginx;
mod program;

pub use caddy::caddy;
pub use haproxy::haproxy;
pub use nginx::nginx;
pub use program::{Gateway, run};
