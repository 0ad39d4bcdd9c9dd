//! From a write in PostgreSQL to a decision on a node.

use crate::{common::Place, live};

#[tokio::test]
async fn on_postgres() {
    live::all(Place::postgres).await;
}
