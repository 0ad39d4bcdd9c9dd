//! The contract as tests.

/// Makes a module of tests, one for each case of the contract, for the store that the expression
/// makes on a clock.
///
/// `store_contract!(memory, |clock: ManualClock| …)` is for stores that answer at once,
/// `store_contract!(async redis, |clock: ManualClock| …)` for the others. The soaks are ignored
/// unless asked for by `--ignored`.
#[macro_export]
macro_rules! store_contract {
    ($name:ident, $make:expr) => {
        fn $name(clock: $crate::contract::ManualClock) -> impl $crate::contract::ImmediateStore {
            use $crate::contract::ManualClock;
            ($make)(clock)
        }
        $crate::store_contract! { @tests $name: a_batch_decides_like_one_by_one }
    };
    (async $name:ident, $make:expr) => {
        fn $name(clock: $crate::contract::ManualClock) -> impl $crate::contract::Store {
            use $crate::contract::ManualClock;
            ($make)(clock)
        }
        $crate::store_contract! { @tests $name: }
    };
    (@tests $name:ident: $($immediate:ident)*) => {
        mod $name {
            $crate::store_contract! { @cases $name:
                a_broad_denial_leaves_the_narrow_limit_untouched
                a_budget_of_ten_admits_ten_alone
                a_budget_of_ten_admits_ten_mixed
                a_budget_of_ten_admits_ten_together
                a_burst_passes_and_then_the_rate_holds
                a_changed_algorithm_keeps_what_was_admitted
                a_changed_period_carries_over_once
                a_changed_rate_keeps_the_tokens_missing
                a_cost_above_the_limit_never_fits_and_drains_nothing
                a_cost_of_zero_looks_and_spends_nothing
                a_denial_adopts_the_new_limit
                a_narrow_denial_leaves_the_broad_limit_untouched
                a_steady_clock_set_back_never_locks_out
                allowed_requests_show_the_smallest_share
                amounts_reach_the_whole_range
                any_failing_algorithm_spares_all_others
                any_interval_keeps_the_law_of_its_algorithm
                bands_mark_how_near_the_limit_is
                changes_back_and_forth_neither_zero_nor_double
                charges_on_one_counter_count_together
                counters_charged_together_end_equal
                custom_algorithms_count_like_any_other
                denied_requests_change_nothing
                denied_requests_show_the_longest_wait
                elapsed_time_ignores_the_wall_clock
                forty_charges_are_one_request
                idle_time_earns_no_second_burst
                keys_that_look_alike_stay_apart
                leaky_buckets_space_what_they_admit
                lowered_limits_bind_at_once
                many_keys_have_a_budget_each
                months_and_weeks_follow_the_calendar
                no_charges_are_allowed
                peeks_say_what_charging_would_answer
                periods_of_one_rule_stay_apart
                periods_reach_from_a_millisecond_to_centuries
                raised_limits_free_at_once
                random_schedules_agree_with_the_reference
                refunds_give_back_at_most_what_was_taken
                refunds_in_parallel_give_everything_back
                refunds_of_an_ended_window_credit_nothing
                resets_are_exact
                resets_make_fresh
                retry_after_is_exact_for_every_algorithm
                retry_after_is_exact_for_several_limits
                rules_of_the_same_key_stay_apart
                sliding_windows_pass_just_under_twice_the_limit
                soft_limits_reach_exactly_hard_at
                the_order_of_charges_does_not_matter
                time_may_start_at_its_first_moment
                wall_steps_back_hand_out_no_second_budget
                wall_steps_forward_hand_out_one_budget_at_most
                $($immediate)*
            }

            #[test]
            #[ignore = "a soak; run it with --ignored"]
            fn soak_random() {
                $crate::contract::soak_random(super::$name);
            }

            #[test]
            #[ignore = "a soak; run it with --ignored"]
            fn soak_concurrent() {
                $crate::contract::soak_concurrent(super::$name);
            }
        }
    };
    (@cases $name:ident: $($case:ident)*) => {
        $(
            #[test]
            fn $case() {
                $crate::contract::$case(super::$name);
            }
        )*
    };
}
