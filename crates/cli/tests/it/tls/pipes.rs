//! Files that are no certificates.

use std::{fs, process::Command};

use tollgate_testkit::wait_for;

use super::house::{House, SEALED};
use crate::common::{http::Http, server::LONG};

pub(crate) fn is_told(http: &mut Http, words: &str) {
    wait_for(words, LONG, || {
        let ready = http.get("/readyz").with(200).json();
        ready["degraded"].to_string().contains(words).then_some(())
    });
}

// Proves: S7
#[test]
fn a_pipe_is_no_certificate() {
    let house = House::new();
    let server = house.serve(&[]);
    let (pipe, there) = (house.desk.path("pipe"), &house.ours.certificate);
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let words = ["--tls-cert", "pipe", "--tls-key", "server.key"];
    house
        .desk
        .run(&[&["serve", "--check"], &words[..]].concat())
        .with(1)
        .says("it is not a regular file");
    let sound = fs::read(there).unwrap();
    fs::rename(&pipe, there).unwrap();
    let mut http = house.http(server.http, None);
    is_told(&mut http, "it is not a regular file");

    // A link to one is as good as one: so Kubernetes mounts secrets.
    fs::write(house.desk.path("linked"), sound).unwrap();
    fs::remove_file(there).unwrap();
    std::os::unix::fs::symlink("linked", there).unwrap();
    wait_for("all is well again", LONG, || {
        let ready = http.get("/readyz").with(200).json();
        let degraded = ready["degraded"].as_array().unwrap();
        degraded.is_empty().then_some(())
    });
    house.desk.run(&[&["serve", "--check"], &SEALED[..]].concat()).fine();
}
