//! Who asks, over every protocol, on virtual time.

mod api_keys;
mod ask;
mod attacks;
mod contradictions;
mod forgery;
mod good;
mod keeper;
mod rig;
mod table;
mod told;
mod trust;
