//! One spelling for everything that has several: paths, methods, addresses, identifiers.
//!
//! What a client can write in two ways must count in one place, or it is a way around every limit.

mod identifier;
mod path;

pub use identifier::{
    AddressError, IDENTIFIER_BYTES_MAX, IdentifierError, Method, MethodError, address, identifier,
    is_control_or_bidi, network_of,
};
pub use path::{Ambiguity, Path, PathError};
