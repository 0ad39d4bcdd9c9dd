//! The program as a black box: every command, what it prints and how it ends.

pub(crate) mod conflict;
mod files;
pub(crate) mod killed;
pub(crate) mod overrides;
mod people;
pub(crate) mod revisions;
mod settings;
mod shapes;
mod usage;

/// Makes a test of each case that concerns every database, on that which a function of `Desk` takes.
macro_rules! cli {
    ($database:ident) => {
        $crate::cli::cli! { $database:
            conflict::the_second_of_two_editors_sees_the_difference
            conflict::whoever_repeats_what_is_there_has_no_conflict
            conflict::of_many_at_once_exactly_one_wins
            killed::a_killed_apply_leaves_the_old_rules_or_the_new
            overrides::an_override_is_set_listed_and_removed
            overrides::an_override_is_replaced_by_its_id
            overrides::those_of_the_file_are_listed_beside_them
            overrides::an_override_that_a_change_strands_is_told
            revisions::a_file_goes_in_and_comes_out
            revisions::every_field_of_a_rule_is_kept
            revisions::history_is_listed_in_pages_and_one_by_one
            revisions::going_back_is_a_step_forward
            revisions::nobody_is_waited_for_where_no_node_runs
            revisions::a_node_that_does_not_follow_is_named
            revisions::a_file_with_errors_changes_nothing
        }
    };
    ($database:ident: $($room:ident::$case:ident)*) => {
        $(
            #[test]
            fn $case() {
                crate::cli::$room::$case(&crate::common::Desk::$database());
            }
        )*
    };
}
pub(crate) use cli;

mod sqlite {
    super::cli!(sqlite);
}
