//! What the doctor says about servers that speak TLS.
// Proves: S7, O6

use tollgate_testkit::{certificates::Holds, free_address};

use super::house::{DAY, House, SEALED};

const PORTS: [&str; 8] = [
    "--http",
    "127.0.0.1:0",
    "--grpc",
    "127.0.0.1:0",
    "--resp",
    "127.0.0.1:0",
    "--admin",
    "127.0.0.1:0",
];

/// It cannot be asked without a certificate that it would believe; its folder says enough.
#[test]
fn a_server_that_runs_is_recognised() {
    let house = House::new();
    // Ports that are free again once it is killed.
    let [http, grpc, resp, admin] = [(); 4].map(|()| free_address().to_string());
    let listen = ["--http", &http, "--grpc", &grpc, "--resp", &resp, "--admin", &admin];
    let server = house.serve(&listen);
    let words = [&["doctor"], &SEALED[..], &listen].concat();
    let ran = house.desk.run(&words).fine();
    ran.says("ok       tls       server.pem can be used").says(&format!(
        "ok       http      {http} is taken, as it seems by the Tollgate that runs here"
    ));
    server.kill();
    house.desk.run(&words).fine().says(&format!("ok       http      {http} is free"));
}

#[test]
fn certificates_are_looked_at() {
    let house = House::holding(Holds::For(DAY * 3));
    let words = [&["doctor"], &SEALED[..], &PORTS].concat();
    house.desk.run(&words).fine().says("warning  tls       ");
    house.desk.write("server.key", "no key");
    let ran = house.desk.run(&words).with(1);
    let ran = ran.says("problem  tls       cannot use server.key for TLS");
    assert_eq!(ran.out.matches("cannot use server.key").count(), 1, "{ran:?}");
}
