//! The contract as tests.

/// Makes a module of tests, one for each case of the contract, for the store that the expression
/// makes on a clock.
///
/// `store_contract!(memory, |clock: ManualClock| …)` is for stores that answer at once,
/// `store_contract!(async redis, |clock: ManualClock| …)` for the others. Elapsed time runs backwards
/// only for the latter: their clock may be another machine's time of day, while the clock of a store
/// in this process promises not to. The random schedules of the latter are fewer, since each step is a
/// journey; the soaks walk them all. `store_contract!(async short valkey, |clock: ManualClock| …)` repeats
/// less often: for another server behind the same code. The soaks are ignored unless asked for by `--ignored`.
#[macro_export]
macro_rules! store_contract {
    ($name:ident, $make:expr) => {
        fn $name(clock: $crate::contract::ManualClock) -> impl $crate::contract::ImmediateStore {
            use $crate::contract::ManualClock;
            ($make)(clock)
        }
        $crate::store_contract! { @tests $name, &super::$name;
            batch::a_batch_decides_like_one_by_one
            random::random_schedules_agree_with_the_reference
        }
    };
    (async short $name:ident, $make:expr) => {
        $crate::store_contract! { @async $name, &$crate::contract::Short(super::$name), $make }
    };
    (async $name:ident, $make:expr) => {
        $crate::store_contract! { @async $name, &super::$name, $make }
    };
    (@async $name:ident, $subject:expr, $make:expr) => {
        fn $name(clock: $crate::contract::ManualClock) -> impl $crate::contract::Store {
            use $crate::contract::ManualClock;
            ($make)(clock)
        }
        $crate::store_contract! { @tests $name, $subject;
            clocks::a_steady_clock_set_back_never_locks_out
            random::some_random_schedules_agree_when_elapsed_time_is_set_back
            random::some_random_schedules_agree_with_the_reference
        }
    };
    (@tests $name:ident, $subject:expr; $($room:ident::$only:ident)*) => {
        mod $name {
            $crate::store_contract! { @cases $subject;
                all_or_none::a_broad_denial_leaves_the_narrow_limit_untouched
                all_or_none::a_narrow_denial_leaves_the_broad_limit_untouched
                all_or_none::any_failing_algorithm_spares_all_others
                all_or_none::charges_on_one_counter_count_together
                all_or_none::forty_charges_are_one_request
                all_or_none::no_charges_are_allowed
                all_or_none::the_order_of_charges_does_not_matter
                binding::allowed_requests_show_the_smallest_share
                binding::bands_mark_how_near_the_limit_is
                binding::denied_requests_show_the_longest_wait
                binding::soft_limits_reach_exactly_hard_at
                bursts::a_burst_passes_and_then_the_rate_holds
                bursts::idle_time_earns_no_second_burst
                bursts::leaky_buckets_space_what_they_admit
                bursts::months_and_weeks_follow_the_calendar
                changes::a_changed_algorithm_keeps_what_was_admitted
                changes::a_changed_period_carries_over_once
                changes::a_changed_rate_keeps_the_tokens_missing
                changes::a_denial_adopts_the_new_limit
                changes::changes_back_and_forth_neither_zero_nor_double
                changes::lowered_limits_bind_at_once
                changes::raised_limits_free_at_once
                clocks::elapsed_time_ignores_the_wall_clock
                clocks::wall_steps_back_hand_out_no_second_budget
                clocks::wall_steps_forward_hand_out_one_budget_at_most
                concurrent::a_budget_of_ten_admits_ten_alone
                concurrent::a_budget_of_ten_admits_ten_mixed
                concurrent::a_budget_of_ten_admits_ten_together
                concurrent::counters_charged_together_end_equal
                concurrent::refunds_in_parallel_give_everything_back
                custom::custom_algorithms_count_like_any_other
                denials::a_cost_above_the_limit_never_fits_and_drains_nothing
                denials::a_cost_of_zero_looks_and_spends_nothing
                denials::denied_requests_change_nothing
                extremes::amounts_reach_the_whole_range
                extremes::periods_reach_from_a_millisecond_to_centuries
                extremes::time_may_start_at_its_first_moment
                identity::keys_that_look_alike_stay_apart
                identity::many_keys_have_a_budget_each
                identity::periods_of_one_rule_stay_apart
                identity::rules_of_the_same_key_stay_apart
                laws::any_interval_keeps_the_law_of_its_algorithm
                laws::sliding_windows_pass_twice_the_limit
                retry::resets_are_exact
                retry::retry_after_is_exact_for_every_algorithm
                retry::retry_after_is_exact_for_several_limits
                side_door::peeks_say_what_charging_would_answer
                side_door::refunds_give_back_at_most_what_was_taken
                side_door::refunds_of_an_ended_window_credit_nothing
                side_door::resets_make_fresh
                $($room::$only)*
            }

            #[test]
            #[ignore = "soak: run by cargo xtask soak"]
            fn soak_random() {
                $crate::contract::soak::soak_random(&super::$name);
            }

            #[test]
            #[ignore = "soak: run by cargo xtask soak"]
            fn soak_concurrent() {
                $crate::contract::soak::soak_concurrent(&super::$name);
            }
        }
    };
    (@cases $subject:expr; $($room:ident::$case:ident)*) => {
        $(
            #[test]
            fn $case() {
                $crate::contract::$room::$case($subject);
            }
        )*
    };
}
