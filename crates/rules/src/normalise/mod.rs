//! One spelling for everything that has several: paths, methods, addresses, identifiers.
//!
//! What a client can write in two ways must count in one place, or it is a way around every limit.

mod address;
mod control;
mod identifier;
mod method;
mod path;

pub use address::{AddressError, address, network_of};
pub use control::is_control_or_bidi;
pub use identifier::{IDENTIFIER_BYTES_MAX, IdentifierError, identifier};
pub use method::{Method, MethodError};
pub use path::{Ambiguity, Path, PathError};
