//! Worked examples on disk, for every store to replay.
//!
//! Each file under `golden/` tells the stories of some keys: a limit, then one line per step. The answers come
//! from the [models](crate::model), never from a store. A test recomputes them;
//! `cargo run -p tollgate-sim --example golden` writes them anew.
//!
//! ```text
//! # Twice the burst of a small bucket.
//! start 1767225600000000
//! limit 10/s algorithm token_bucket burst 2
//! +0 0 2 => allow 0 200000 0 0 warn
//! +100000 0 1 => allow 0 200000 0 0 warn
//! +0 -3600000000 1 => deny 0 200000 100000 0 denied
//! +50000 0 refund 1
//! limit 20/s algorithm token_bucket burst 4
//! ```
//!
//! | line | meaning |
//! |---|---|
//! | `#` | what the file is about |
//! | `start t` | a new key; both clocks stand at so many microseconds since the epoch |
//! | `limit …` | the first limit of the key, or one that replaces it at the moment of the last step |
//! | `+e w c => …` | elapsed time, step of the wall clock, both in microseconds, and the cost; then the answer: allowed or not, remaining, reset, retry (`-` for never), delay, band |
//! | `+e w refund c` | gives back so much |
//!
//! A limit is followed by a step at the same moment, so that a store may carry a key over when it is
//! next used.

mod cases;
mod format;
mod replay;
mod story;
mod vector;

pub use cases::{GoldenFile, generate};
pub use format::FormatError;
pub use replay::{FILES, load};
pub use vector::{Act, Step, Vector};
