//! Who may decide: the layer knows how each of them is told.

/// One of those who may.
#[expect(unnameable_types, reason = "that is what keeps others from deciding")]
pub trait Sealed {}
