//! The server that tests are given is a real one, and fails when it is told to.

use std::{
    net::TcpListener,
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

use tollgate_testkit::{
    postgres::{Connections, Postgres, SqlError},
    program,
    proxy::Proxy,
    wait_for,
};

const SHORT: Duration = Duration::from_millis(500);
const LONG: Duration = Duration::from_secs(120);

#[test]
fn each_database_is_new() {
    let server = Postgres::shared();
    let (first, second) = (server.database("same"), server.database("same"));
    assert_ne!(first.url(), second.url());
    first.execute("create table t (n int, s text)");
    first.execute("insert into t values (1, 'a'), (2, null)");
    assert_eq!(first.execute("select * from t order by n"), "1|a\n2|");
    second.execute("create table t (n int)");
    assert_eq!(second.execute("select count(*) from t"), "0");
}

#[test]
#[should_panic(expected = "relation \"nowhere\" does not exist")]
fn a_failed_statement_fails_the_test() {
    Postgres::shared().database("failing").execute("select * from nowhere");
}

#[test]
#[should_panic(expected = "a prefix is at most")]
fn a_name_that_needs_quoting_is_not_taken() {
    Postgres::shared().database("robert'); drop");
}

#[test]
fn committed_data_survive_a_stop() {
    let mut server = Postgres::start();
    let database = server.database("kept");
    database.execute("create table t (n int); insert into t values (7)");
    let (addr, first) = (server.addr(), server.process_id());
    server.stop();
    let stopped = database.try_execute("select 1", LONG);
    assert!(
        matches!(&stopped, Err(SqlError::Refused(message)) if message.contains("refused")),
        "{stopped:?}"
    );
    server.start_again();
    assert_eq!(server.addr(), addr);
    assert_ne!(server.process_id(), first);
    assert_eq!(database.execute("select n from t"), "7");
}

#[test]
fn a_port_that_was_taken_meanwhile_is_a_failure_with_a_name() {
    let mut server = Postgres::start();
    server.stop();
    let thief = TcpListener::bind(server.addr()).unwrap();
    let start = AssertUnwindSafe(|| server.start_again());
    let panic = catch_unwind(start).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.starts_with("somebody took port"), "{message}");
    drop(thief);
    server.start_again();
    server.database("after_all").execute("select 1");
}

#[test]
fn a_paused_server_takes_connections_and_answers_nothing() {
    let mut server = Postgres::start();
    let database = server.database("paused");
    server.pause();
    let hung = database.try_execute("select 1", SHORT);
    assert!(matches!(hung, Err(SqlError::Overdue(_))), "{hung:?}");
    server.resume();
    assert_eq!(database.execute("select 1"), "1");
    // A pause does not keep it from being stopped.
    server.pause();
    server.stop();
    server.start_again();
    assert_eq!(database.execute("select 1"), "1");
}

#[test]
fn connections_are_killed_by_name_or_all() {
    let mut server = Postgres::start();
    let (database, other) = (server.database("killed"), server.database("other"));
    let sleep = "set application_name = 'sleeper'; select pg_sleep(600)";
    std::thread::scope(|scope| {
        let sleepers = [&database, &database, &other]
            .map(|database| scope.spawn(move || database.try_execute(sleep, LONG)));
        wait_for("three sleepers", LONG, || {
            let count = other.execute(
                "select count(*) from pg_stat_activity \
                 where application_name = 'sleeper' and wait_event = 'PgSleep'",
            );
            (count == "3").then_some(())
        });
        let (nobody, sleeper) =
            (Connections::OfApplication("o'nobody"), Connections::OfApplication("sleeper"));
        assert_eq!(database.kill_connections(nobody), 0);
        assert_eq!(database.kill_connections(sleeper), 2);
        assert_eq!(server.kill_connections(Connections::All), 1);
        for sleeper in sleepers {
            let ended = sleeper.join().unwrap();
            assert!(
                matches!(&ended, Err(SqlError::Refused(why)) if why.contains("terminating")),
                "{ended:?}"
            );
        }
    });
}

#[test]
fn a_backup_brings_back_the_past() {
    let database = Postgres::shared().database("past");
    database.execute("create table t (n bigserial, s text); insert into t (s) values ('old')");
    let backup = database.dump();
    database.execute("insert into t (s) values ('new'); create table later ()");
    database.restore(&backup);
    assert_eq!(database.execute("select * from t"), "1|old");
    assert_eq!(database.execute("select to_regclass('later')"), "");
    database.execute("insert into t (s) values ('another')");
    assert_eq!(database.execute("select max(n) from t"), "2");
}

#[test]
fn a_reply_is_lost_after_the_commit() {
    let server = Postgres::shared();
    let database = server.database("lost");
    database.execute("create table t (n int)");
    let proxy = Proxy::to(server.addr());
    let through = database.url_at(proxy.addr());
    proxy.drop_reply_to(b"COMMIT");
    let psql = std::process::Command::new(program("psql"))
        .args(["-X", "-d", &through])
        .args(["-c", "begin", "-c", "insert into t values (1)"])
        .args(["-c", "COMMIT"])
        .output()
        .unwrap();
    assert!(!psql.status.success(), "{psql:?}");
    assert_eq!(proxy.replies_dropped(), 1);
    assert_eq!(database.execute("select n from t"), "1");
}
