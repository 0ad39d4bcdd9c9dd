//! Several keys at once.

use super::{Facts, Key};
use crate::RequestHead;

macro_rules! together {
    ($($name:ident $place:tt),*) => {
        /// All of them together.
        impl<$($name: Key),*> Key for ($($name,)*) {
            const WAYS: u16 = 0_u16 $(.saturating_add($name::WAYS))*;

            fn read<'r>(&'r self, head: &RequestHead<'r>, facts: &mut Facts<'r>) {
                $(self.$place.read(head, facts);)*
            }
        }
    };
}

together!(A 0, B 1);
together!(A 0, B 1, C 2);
together!(A 0, B 1, C 2, D 3);
