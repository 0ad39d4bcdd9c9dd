//! Black-box stories: a real gateway asks a real server, by the snippet that the program prints.

mod caddy;
mod envoy;
mod haproxy;
mod house;
mod nginx;
mod rls;
mod stories;
