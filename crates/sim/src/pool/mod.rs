//! The pool that leases are granted from, slow and obviously right, and simple holders to try it with.
//!
//! Written from the design, not from the scripts: every event of a counter and every lease is kept, and each answer is
//! recounted from all of them, in whole numbers wide enough for any limit.
//!
//! | part | what it is |
//! |---|---|
//! | [`Call`], [`Reply`] | what a holder says, and what it is told |
//! | [`Pool`] | whoever grants leases: the model, the scripts in an embedded Lua, or Redis |
//! | [`PoolModel`] | one key, by recounting |
//! | [`ModelHolder`] | a holder that does what the design says and no more |
//! | [`Totals`] | what a node remembers, to assert it after a failover |
//! | [`breach`] | the algorithm's own law over every interval of what was admitted |

mod call;
mod counter;
mod holder;
mod law;
mod lease;
mod model;
mod terms;
mod totals;

pub use call::{Call, Charged, Figures, Pool, Record, Reply, Share, Word};
pub use holder::{Guard, ModelHolder, Moved};
pub use law::{Admission, breach, is_kept_in_all_pairs};
pub use model::PoolModel;
pub use totals::Totals;
