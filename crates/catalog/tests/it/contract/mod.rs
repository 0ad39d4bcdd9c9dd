//! One contract for both databases.
// Proves: R6, R12

pub(crate) mod audit;
pub(crate) mod edits;
pub(crate) mod entries;
pub(crate) mod histories;
pub(crate) mod keeping;
pub(crate) mod key_print;
pub(crate) mod migrations;
pub(crate) mod nodes;
pub(crate) mod overrides;
pub(crate) mod processes;
pub(crate) mod proposals;
pub(crate) mod random;
pub(crate) mod records;
pub(crate) mod usage;

use crate::common;

/// Makes a test of each case, on the database that a function of `Place` makes.
macro_rules! contract {
    ($database:ident) => {
        $crate::contract::contract! { $database:
            audit::every_write_to_the_rules_is_on_record
            audit::every_write_to_the_overrides_is_on_record
            audit::every_write_to_the_entries_is_on_record
            audit::rows_are_only_ever_added
            records::what_is_no_write_is_noted
            records::rows_are_found_by_time_actor_and_object
            records::a_large_write_is_a_bounded_number_of_rows
            edits::an_empty_catalog_is_revision_zero
            edits::a_write_makes_the_next_revision
            edits::equal_content_is_not_written
            edits::another_order_of_overrides_is_a_change
            edits::two_editors_and_one_wins
            edits::expectations_hold_or_nothing_is_written
            edits::a_set_made_from_an_older_revision_is_refused
            edits::a_renamed_rule_keeps_its_id
            edits::a_file_keeps_the_id_of_a_renamed_rule
            edits::unsound_rules_are_not_written
            entries::every_kind_is_put_read_and_removed
            entries::an_entry_is_changed_as_its_editor_saw_it
            entries::a_quota_is_its_users
            entries::overrides_and_entries_share_one_order
            entries::many_entries_are_written_in_batches_and_read_in_pages
            keeping::entries_that_are_gone_are_kept_for_a_while
            keeping::an_entry_that_cannot_be_read_is_named
            histories::every_revision_can_be_read_again
            histories::changes_tell_before_and_after
            histories::a_rollback_is_a_new_revision
            histories::pages_meet
            histories::a_damaged_item_is_found
            histories::a_newer_item_is_named
            histories::thousands_of_rules_are_written_and_read
            migrations::two_open_at_once
            migrations::the_next_release_may_add
            migrations::a_release_that_cannot_be_read_is_refused
            nodes::reports_are_listed_and_age
            nodes::a_write_waits_for_every_live_node
            nodes::a_node_that_left_is_not_waited_for
            nodes::numbers_are_above_what_any_node_runs
            overrides::an_override_is_put_listed_and_removed
            overrides::overrides_are_found_by_rule_and_key
            overrides::a_rollback_leaves_overrides_alone
            overrides::ended_overrides_are_kept_for_a_while
            overrides::many_are_written_in_batches
            overrides::an_override_that_fits_no_rule_is_refused
            overrides::overrides_follow_a_rule_that_is_renamed
            key_print::all_keys_are_hashed_with_one_secret
            key_print::a_removal_heeds_what_the_editor_saw
            keeping::a_rollback_neither_revives_a_key_nor_lifts_a_block
            migrations::a_database_of_the_release_before_goes_on
            processes::processes_of_a_fleet_know_of_each_other
            processes::a_process_is_forgotten_once_nothing_of_it_counts
            proposals::somebody_else_approves
            proposals::a_proposal_is_settled_once_and_in_time
            proposals::only_so_many_wait
            proposals::what_could_not_be_done_waits_again
            usage::what_is_told_twice_counts_once
            usage::usage_follows_the_calendar
            usage::old_days_are_cleared_away
            usage::what_cannot_be_cleared_away_holds_up_no_telling
            random::revisions_agree_with_a_simple_model
        }
    };
    ($database:ident: $($room:ident::$case:ident)*) => {
        $(
            #[tokio::test(flavor = "multi_thread")]
            async fn $case() {
                crate::contract::$room::$case(crate::common::Place::$database()).await;
            }
        )*
    };
}
pub(crate) use contract;

mod sqlite {
    super::contract!(sqlite);
}

/// The futures may move between threads, as a server moves them.
#[tokio::test]
async fn futures_are_send() {
    fn is_send<T: Send>(_: T) {}
    let place = common::Place::sqlite();
    let catalog = tollgate_catalog::Catalog::lazy(&place.url, place.options()).unwrap();
    let number = tollgate_catalog::RevisionNumber::ZERO;
    is_send(catalog.head());
    is_send(catalog.latest());
    is_send(catalog.load(number));
    is_send(catalog.edit(common::put(common::rule("a", 1))));
    is_send(catalog.rollback(number, common::dana()));
    is_send(catalog.overrides(&tollgate_catalog::Listing::default()));
    is_send(catalog.nodes());
    is_send(catalog.ready());
    is_send(catalog.wait_confirmed(tollgate_catalog::Goal::Revision(number), common::SOON));
}
