//! Envoy with the configuration that the program prints.

use tollgate_testkit::{Backend, Envoy, wait_for};

use super::super::{house::put, stories::SLASHES};
use crate::common::{Desk, http::Http, server::LONG};

const RULES: &str = "\
version: 1
rules:
  - { name: secret, match: { endpoint: /secret/** }, action: block }
";

/// A slash that is none to Tollgate may be one to the site: Envoy lets it to neither.
#[test]
fn a_slash_in_disguise_is_refused() {
    let (desk, backend) = (Desk::new(), Backend::start());
    desk.write("rules.yaml", RULES);
    let server = desk.serve(&["--rules", "rules.yaml"]);
    let printed = desk.run(&["snippet", "envoy", "--grpc", &server.grpc.to_string()]);
    let text = put(&printed.fine().out, "0.0.0.0, port_value: 10000", "127.0.0.1, port_value: 0");
    let text = put(&text, "port_value: 8080", &format!("port_value: {}", backend.addr().port()));
    // Nobody is late on purpose here.
    let text = put(&text, "0.020s", "60s");
    let text = put(&text, "0.050s", "60s");
    let admin = "admin: { address: { socket_address: { address: 127.0.0.1, port_value: 0 } } }\n";
    let envoy = Envoy::start(&(admin.to_owned() + &text));
    let get = |path: &str| Http::to(envoy.listener("site")).get(path);
    wait_for("a question that is answered", LONG, || {
        (get("/secret/b").status == 429).then_some(())
    });
    let before = backend.requests().len();
    for path in SLASHES {
        // Envoy itself takes a plain backslash for a slash, and so does Tollgate, then.
        let wanted = if path.contains('\\') { 200 } else { 400 };
        assert_eq!(get(path).status, wanted, "{path}");
    }
    let seen = backend.requests().split_off(before);
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert!(seen[0].starts_with("GET /b/secret "), "{seen:?}");
    get("/b?c=%2F%5C").with(200);
}
