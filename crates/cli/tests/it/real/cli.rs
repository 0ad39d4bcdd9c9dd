//! The commands on a real PostgreSQL.
// Proves: R5, R6, R11, R12

use tollgate_testkit::postgres::Postgres;

use crate::common::Desk;

crate::cli::cli!(postgres);

#[test]
fn a_server_that_does_not_let_us_in_is_told_apart() {
    let database = Postgres::shared().database("cli_refused");
    let elsewhere = database.url().replace(database.name(), "nowhere_at_all");
    let ran = Desk::on(&elsewhere).line("rules history").with(1);
    ran.says("database \"nowhere_at_all\" does not exist")
        .says("check user, password, database name");
    let (_, place) = database.url().split_once('@').unwrap();
    let stranger = format!("postgres://stranger:hunter2@{place}");
    let ran = Desk::on(&stranger).line("rules history").with(1);
    ran.says("cannot use postgres://stranger:***@").says("\"stranger\" does not exist");
}
