//! The PROXY protocol, version 2: a header by which a proxy names its client, before the first byte.

mod header;

pub use header::{Header, HeaderFlaw, Opening, SIGNATURE};
