//! Random schedules on a store and on the reference, step by step.

mod lock_step;
mod meter;
mod op;
mod schedule;

pub use lock_step::{
    Coverage, random, random_schedules_agree_with_the_reference,
    some_random_schedules_agree_when_elapsed_time_is_set_back,
    some_random_schedules_agree_with_the_reference,
};
