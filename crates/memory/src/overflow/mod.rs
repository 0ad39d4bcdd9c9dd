//! What the table has no room for: sketches that never count too little.
//!
//! A key that is given up for another leaves what it has used in a *sketch*, one for each rule and limit in each
//! shard: a table of short tags with small numbers. Each key has two buckets and an entry in the emptier of
//! them. Where both are full an entry becomes a *shared* one, which counts for every key of its bucket: what
//! is read is a key's count or, if others share it, more. So an exhausted key stays exhausted, and a key that was
//! never counted reads as such but for odds that the shared buckets and the length of the tags tell.
//! (A count-min sketch of the same size was tried before: its odds were a hundred times worse below the room of this
//! one, and no better beyond.)
//!
//! - A key's entry lies in its own shard, under the lock that says where the key lives. All or none over
//!   several limits holds because all of those locks are held.
//! - A sketch is made when it is first needed. Those of a shard share a fixed number of words: a new one
//!   gets its part by folding the largest in half, the upper buckets into the lower.
//! - Windows and the logs count this and the previous window, in numbers as wide as the amount; the
//!   window's number stands once for the sketch, which is made anew when it has run out. Logs count
//!   whole windows and so are stricter than their law. Buckets note when they will be full.
//! - Where there are more limits than parts, and for algorithms of your own, the last sketch notes until
//!   when anything may be counted, and takes a key it knows to be exhausted until then.
//! - Nothing is ever taken off an entry but by time: a refund or a reset cannot know who shares it. A key that
//!   was reset keeps a marked place, which is given up last.
//! - A clock that is set back by more than a window leaves sketches ahead of it. They count in the window that it
//!   was set back to, and again in their own if it is set forward; meanwhile others take what is added.
//! - Where more than one new key in a hundred would be taken for another, the failure policy of the rule answers
//!   for keys that only a shared entry knows.

mod counts;
mod entries;
mod layout;
mod moments;
mod sketch;
mod windows;

pub(crate) use self::{
    counts::Counts,
    entries::{Entries, Fill},
    layout::Layout,
    moments::{Moments, Owed, bucket, drained_in},
    sketch::{Foldable, ODDS_MAX, Odds, Overflow, Owner, Reading, Sketch, make_room},
    windows::Windows,
};
