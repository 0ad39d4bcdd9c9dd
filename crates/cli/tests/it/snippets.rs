//! What can be said of snippets without the program that reads them. Traefik and Istio cannot be had here: of
//! theirs only the shape is checked, not that they work.
// Proves: S4, O6

use serde_json::Value;

use crate::common::Desk;

#[path = "../../../rules/tests/it/schema/typed.rs"]
mod typed;

const ALL: [&str; 7] = ["envoy", "istio", "nginx", "haproxy", "haproxy-lua", "traefik", "caddy"];

fn snippet(words: &[&str]) -> String {
    let mut all = vec!["snippet"];
    all.extend(words);
    let ran = Desk::new().run(&all).fine();
    assert_eq!(ran.err, "", "nothing but the snippet");
    ran.out
}

/// The addresses are those of a server with the same settings, wherever they come from.
#[test]
fn addresses_are_those_of_the_server() {
    for gateway in ALL {
        let text = snippet(&[gateway]);
        assert!(!text.contains("{{"), "{gateway}: {text}");
        let (is_http, is_grpc) = (text.contains("127.0.0.1:7070"), text.contains("7071"));
        let (http, grpc) = match gateway {
            "envoy" | "istio" => (false, true),
            // It asks through HAProxy.
            "haproxy-lua" => (false, false),
            _ => (true, false),
        };
        assert_eq!((is_http, is_grpc), (http, grpc), "{gateway}: {text}");
    }
    let text = snippet(&["nginx", "--http", "192.0.2.1:81"]);
    assert!(text.contains("server 192.0.2.1:81;"), "{text}");
    let desk = Desk::new();
    desk.write("tollgate.toml", "grpc = \"0.0.0.0:81\"\nhttp = \"[::]:82\"\n");
    let text = desk.line("snippet envoy").fine().out;
    let address = r#"socket_address: { address: "127.0.0.1", port_value: 81 }"#;
    assert!(text.contains(address), "{text}");
    let mut command = desk.command(&["snippet", "caddy"]);
    let ran = command.env("TOLLGATE_HTTP", "[::]:83").output().unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    assert!(text.contains("http://[::1]:83 {"), "{text}");
    desk.line("snippet nginx --http 127.0.0.1:0").with(1).says("--http");
    desk.line("snippet apache").with(1).says("nginx");
}

#[test]
fn programs_get_json() {
    let json = Desk::new().line("snippet nginx --json").fine().json();
    assert_eq!(json["gateway"], "nginx");
    assert_eq!(json["snippet"].as_str().unwrap().trim(), snippet(&["nginx"]).trim());
}

fn yaml(gateway: &str) -> Value {
    typed::value(&snippet(&[gateway])).unwrap()
}

#[test]
fn traefik_is_told_to_ask_and_to_believe_nobody() {
    let traefik = yaml("traefik");
    let asks = &traefik["http"]["middlewares"]["tollgate"]["forwardAuth"];
    assert_eq!(asks["address"], "http://127.0.0.1:7070/gateway/forward-auth");
    assert_eq!(asks["trustForwardHeader"], false);
    assert_eq!(asks["authRequestHeaders"][0], "Accept");
    let router = &traefik["http"]["routers"]["site"];
    assert_eq!(router["middlewares"][0], "tollgate");
}

#[test]
fn istio_patches_cluster_filter_route_and_paths() {
    let istio = yaml("istio");
    assert_eq!(istio["kind"], "EnvoyFilter");
    let patches = istio["spec"]["configPatches"].as_array().unwrap();
    let kinds: Vec<&Value> = patches.iter().map(|patch| &patch["applyTo"]).collect();
    assert_eq!(kinds, ["CLUSTER", "HTTP_FILTER", "VIRTUAL_HOST", "NETWORK_FILTER"]);
    let filter = &patches[1]["patch"]["value"]["typed_config"];
    assert_eq!(filter["failure_mode_deny"], false);
    let actions = patches[2]["patch"]["value"]["rate_limits"][0]["actions"].as_array().unwrap();
    assert_eq!(actions.len(), 3);
}

/// A real Envoy reads it in another test; here, that the two say the same.
#[test]
fn envoy_and_istio_ask_alike() {
    let envoy = yaml("envoy");
    let manager = &envoy["static_resources"]["listeners"][0]["filter_chains"][0]["filters"][0]["typed_config"];
    let (filter, route) = (
        &manager["http_filters"][0],
        &manager["route_config"]["virtual_hosts"][0]["routes"][0]["route"],
    );
    let istio = yaml("istio");
    let patches = &istio["spec"]["configPatches"];
    assert_eq!(filter, &patches[1]["patch"]["value"]);
    assert_eq!(route["rate_limits"], patches[2]["patch"]["value"]["rate_limits"]);
    let paths = &patches[3]["patch"]["value"]["typed_config"];
    for field in ["normalize_path", "merge_slashes", "path_with_escaped_slashes_action"] {
        assert!(!manager[field].is_null(), "{field}");
        assert_eq!(manager[field], paths[field], "{field}");
    }
}
