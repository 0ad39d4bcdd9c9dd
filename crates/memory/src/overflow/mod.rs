//! What the table has no room for: sketches that never count too little.
//!
//! A key that is given up for another leaves what it has used in a *sketch*: a count-min sketch with
//! conservative update, one for each rule and limit in each shard. It shares each of its four cells with
//! other keys and raises them to its own count, never further; read back, the least of the four is its count
//! or, if others have raised all four, more. So an exhausted key stays exhausted, and a key that
//! was never counted reads as such but for odds that the fill of the cells tells.
//!
//! - A key's cells lie in its own shard, under the lock that says where the key lives. All or none over
//!   several limits holds because all of those locks are held.
//! - A sketch is made when it is first needed. Those of a shard share a fixed number of words: a new one
//!   gets its part by folding the largest in half, cell onto cell, the larger number kept.
//! - Windows and the logs count this and the previous window, in cells as wide as the amount; the
//!   window's number stands once for the sketch, which is cleared when it is next written. Logs count
//!   whole windows and so are stricter than their law. Buckets note when they will be full.
//! - Where there are more limits than parts, and for algorithms of your own, the last sketch notes until
//!   when anything may be counted, and takes a key it knows to be exhausted until then.
//! - Nothing is ever taken off a cell but by time: a refund or a reset cannot know who shares it. A key that
//!   was reset keeps a marked place, which is given up last.

mod cells;
mod counts;
mod moments;
mod sketch;
mod windows;

pub(crate) use self::{
    cells::Cells,
    counts::Counts,
    moments::{Moments, bucket, drained_in},
    sketch::{Foldable, Overflow, Owner, Sketch, make_room},
    windows::Windows,
};
