//! Identities that stay where they are, so that questions can borrow from them.

use std::sync::OnceLock;

use super::Identity;

/// A list that grows while its members are borrowed.
#[derive(Debug, Default)]
pub(crate) struct Kept(OnceLock<Box<Link>>);

#[derive(Debug)]
struct Link {
    identity: Identity,
    next: Kept,
}

impl Kept {
    /// Adds one to the end of the list, and moves the end behind it.
    pub(crate) fn keep<'k>(end: &mut &'k Self, identity: Identity) -> &'k Identity {
        let link = end.0.get_or_init(|| {
            Box::new(Link {
                identity,
                next: Self::default(),
            })
        });
        *end = &link.next;
        &link.identity
    }
}

/// One after the other: a long list must not need a deep stack.
impl Drop for Kept {
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut link) = next {
            next = link.next.0.take();
        }
    }
}
