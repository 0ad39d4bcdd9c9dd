//! A server whose rules are in PostgreSQL.

use crate::{
    common::Desk,
    serve::lifetime::{DAILY, refused},
};

#[test]
fn a_file_owns_the_rules_on_sqlite_and_is_refused_on_postgresql() {
    let desk = Desk::postgres();
    desk.write("rules.yaml", DAILY);
    let error = refused(&desk, &["--rules", "rules.yaml"]);
    assert!(error.contains("tollgate rules apply"), "{error}");
}
