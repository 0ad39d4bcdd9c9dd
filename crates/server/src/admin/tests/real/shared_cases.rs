//! What the tests on SQLite also say of PostgreSQL.

use super::super::{
    editors::{two_editors, written_and_enforced},
    house::House,
    overrides::confirmed,
    revisions::brought_back,
};

#[tokio::test]
async fn a_revision_can_be_looked_at_and_brought_back_on_postgres() {
    brought_back(House::postgres().await).await;
}

#[tokio::test]
async fn a_rule_that_is_written_is_enforced_on_postgres() {
    written_and_enforced(House::postgres().await).await;
}

#[tokio::test]
async fn of_two_editors_the_second_is_shown_the_difference_on_postgres() {
    two_editors(House::postgres().await).await;
}

#[tokio::test]
async fn an_override_is_confirmed_by_the_nodes_that_enforce_it_on_postgres() {
    confirmed(House::postgres().await).await;
}
