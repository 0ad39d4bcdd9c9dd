//! What every store promises, as plain functions that panic where a store breaks it.
//!
//! Each takes a function that makes an empty store on a given clock. The macro
//! [`store_contract!`](crate::store_contract) turns all of them into tests.

mod all_or_none;
mod batch;
mod binding;
mod bursts;
mod changes;
mod clocks;
mod concurrent;
mod custom;
mod denials;
mod extremes;
mod identity;
mod laws;
mod macros;
mod random;
mod retry;
mod rig;
mod script;
mod side_door;
mod soak;

pub use all_or_none::{
    a_broad_denial_leaves_the_narrow_limit_untouched,
    a_narrow_denial_leaves_the_broad_limit_untouched, any_failing_algorithm_spares_all_others,
    charges_on_one_counter_count_together, forty_charges_are_one_request,
    no_charges_are_allowed, the_order_of_charges_does_not_matter,
};
pub use batch::a_batch_decides_like_one_by_one;
pub use binding::{
    allowed_requests_show_the_smallest_share, bands_mark_how_near_the_limit_is,
    denied_requests_show_the_longest_wait, soft_limits_reach_exactly_hard_at,
};
pub use bursts::{
    a_burst_passes_and_then_the_rate_holds, idle_time_earns_no_second_burst,
    leaky_buckets_space_what_they_admit, months_and_weeks_follow_the_calendar,
};
pub use changes::{
    a_changed_algorithm_keeps_what_was_admitted, a_changed_period_carries_over_once,
    a_changed_rate_keeps_the_tokens_missing, a_denial_adopts_the_new_limit,
    changes_back_and_forth_neither_zero_nor_double, lowered_limits_bind_at_once,
    raised_limits_free_at_once,
};
pub use clocks::{
    a_steady_clock_set_back_never_locks_out, elapsed_time_ignores_the_wall_clock,
    wall_steps_back_hand_out_no_second_budget, wall_steps_forward_hand_out_one_budget_at_most,
};
pub use concurrent::{
    a_budget_of_ten_admits_ten_alone, a_budget_of_ten_admits_ten_mixed,
    a_budget_of_ten_admits_ten_together, counters_charged_together_end_equal,
    refunds_in_parallel_give_everything_back,
};
pub use custom::custom_algorithms_count_like_any_other;
pub use denials::{
    a_cost_above_the_limit_never_fits_and_drains_nothing, a_cost_of_zero_looks_and_spends_nothing,
    denied_requests_change_nothing,
};
pub use extremes::{
    amounts_reach_the_whole_range, periods_reach_from_a_millisecond_to_centuries,
    time_may_start_at_its_first_moment,
};
pub use identity::{
    keys_that_look_alike_stay_apart, many_keys_have_a_budget_each, periods_of_one_rule_stay_apart,
    rules_of_the_same_key_stay_apart,
};
pub use laws::{
    any_interval_keeps_the_law_of_its_algorithm, sliding_windows_pass_just_under_twice_the_limit,
};
pub use random::{Coverage, random, random_schedules_agree_with_the_reference};
pub use retry::{
    resets_are_exact, retry_after_is_exact_for_every_algorithm,
    retry_after_is_exact_for_several_limits,
};
pub use rig::Rig;
pub use side_door::{
    peeks_say_what_charging_would_answer, refunds_give_back_at_most_what_was_taken,
    refunds_of_an_ended_window_credit_nothing, resets_make_fresh,
};
pub use soak::{soak_concurrent, soak_random};
