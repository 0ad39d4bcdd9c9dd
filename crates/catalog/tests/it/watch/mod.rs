//! Nodes follow the catalog, whatever happens to it.
// Proves: R7, R8, R9

pub(crate) mod entries;
pub(crate) mod following;
pub(crate) mod starting;

/// Makes a test of each case, on the database that a function of `Place` makes.
macro_rules! watch {
    ($database:ident) => {
        $crate::watch::watch! { $database:
            entries::a_revoked_key_reaches_every_node
            entries::an_entry_of_a_newer_release_holds_up_no_other
            entries::what_cannot_be_read_opens_nothing_and_lifts_no_bound
            entries::entries_outlive_a_restart_without_a_database
            entries::a_copy_that_missed_a_write_is_written_anew
            following::news_reach_every_node
            following::overrides_reach_every_node
            following::an_override_of_a_newer_release_holds_up_no_other
            following::a_write_is_confirmed_by_every_node
            following::a_refused_revision_leaves_the_one_before
            following::a_revision_of_a_newer_release_leaves_the_one_before
            following::a_watcher_ends_when_told
            starting::the_last_good_copy_serves_without_a_database
            starting::without_anything_there_is_no_snapshot
            starting::a_node_does_not_go_back_over_a_restart
            starting::damaged_copies_are_moved_aside
            starting::overrides_outlive_a_restart_without_a_database
        }
    };
    ($database:ident: $($room:ident::$case:ident)*) => {
        $(
            #[tokio::test(flavor = "multi_thread")]
            async fn $case() {
                crate::watch::$room::$case(crate::common::Place::$database()).await;
            }
        )*
    };
}
pub(crate) use watch;

mod sqlite {
    super::watch!(sqlite);
}
