//! Real servers that serve the protected path, each by one reading of paths or more. Each answers 200 with the
//! names of the readings by which a request is for it; anything else is "no".

use std::{fs, net::SocketAddr, process::Command};

use serde_json::{Value, json};
use tempfile::TempDir;
use tollgate_testkit::{
    Envoy, free_address,
    gateway::{self, Gateway},
    program, pypi,
};

use crate::real::docs::shell::go_environment;

/// The servers, until this is dropped.
pub(super) struct Servers {
    /// Where to ask, by the name of the server.
    pub(super) sites: Vec<(&'static str, SocketAddr)>,
    _gateways: Vec<Gateway>,
    _envoy: Envoy,
    _folders: Vec<TempDir>,
}

/// Caddy's matcher `path` ignores case, and dots and blanks at the end, which make another path to Tollgate and to
/// all other servers. The manual says what to do about such sites.
pub(super) const LAX: &str = "caddy path";

/// The readings of all servers, each by which the plain spelling must be served.
pub(super) const READINGS: [&str; 21] = [
    "node url",
    "node parse",
    "node file",
    "nginx merge",
    "nginx keep",
    "nginx to node url",
    "nginx to node parse",
    "nginx to node file",
    "haproxy plain",
    "haproxy dots-first",
    "haproxy slashes-first",
    "caddy regexp",
    LAX,
    "envoy normalize",
    "envoy normalize-merge",
    "starlette route",
    "starlette urlparse",
    "starlette urljoin",
    "go mux",
    "go plain",
    "go clean",
];

impl Servers {
    pub(super) fn start() -> Self {
        let mut folders = Vec::new();
        let mut gateways = Vec::new();
        let mut sites = Vec::new();
        let node = script("node", "site.js", include_str!("site.js"), &mut folders);
        let [merge, keep, chain] = [(); 3].map(|()| free_address());
        gateways.push(gateway::nginx(&nginx(merge, keep, chain, node.addr()), merge));
        let haproxy: [SocketAddr; 3] = [(); 3].map(|()| free_address());
        gateways.push(gateway::haproxy(&haproxy_config(haproxy), "", haproxy[0]));
        let caddy = free_address();
        gateways.push(gateway::caddy(&caddy_config(caddy), caddy));
        let python = pypi("python").display().to_string();
        let starlette = script(&python, "site.py", include_str!("site.py"), &mut folders);
        let go = go(&mut folders);
        let envoy = Envoy::start(&envoy_config());
        sites.extend([
            ("node", node.addr()),
            ("nginx", merge),
            ("nginx", keep),
            ("nginx to node", chain),
            ("haproxy", haproxy[0]),
            ("haproxy", haproxy[1]),
            ("haproxy", haproxy[2]),
            ("caddy", caddy),
            ("envoy", envoy.listener("normalize")),
            ("envoy", envoy.listener("normalize-merge")),
            ("starlette", starlette.addr()),
            ("go", go.addr()),
        ]);
        gateways.extend([node, starlette, go]);
        Self { sites, _gateways: gateways, _envoy: envoy, _folders: folders }
    }
}

/// A site that an interpreter runs, told its port.
fn script(interpreter: &str, name: &str, text: &str, folders: &mut Vec<TempDir>) -> Gateway {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join(name), text).unwrap();
    let address = free_address();
    let port = address.port().to_string();
    let site = gateway::run(interpreter, &[name, &port], folder.path(), address);
    folders.push(folder);
    site
}

fn go(folders: &mut Vec<TempDir>) -> Gateway {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("site.go"), include_str!("site.go")).unwrap();
    let built = Command::new(program("go"))
        .args(["build", "-o", "site", "site.go"])
        .current_dir(folder.path())
        .envs(go_environment(folder.path()))
        .output()
        .unwrap();
    assert!(built.status.success(), "{built:?}");
    let address = free_address();
    let site = folder.path().join("site").display().to_string();
    let site = gateway::run(&site, &[&address.port().to_string()], folder.path(), address);
    folders.push(folder);
    site
}

fn nginx(merge: SocketAddr, keep: SocketAddr, chain: SocketAddr, node: SocketAddr) -> String {
    let site = |address: SocketAddr, slashes: &str, name: &str| {
        format!(
            "server {{\n listen {address};\n merge_slashes {slashes};\n keepalive_requests 100000;\n \
             location ~ ^/api/login/*$ {{ return 200 {name}; }}\n location / {{ return 404; }}\n}}\n"
        )
    };
    // With a path behind the address, NGINX passes on the path as it has read it.
    let chain = format!(
        "server {{\n listen {chain};\n merge_slashes off;\n keepalive_requests 100000;\n \
         location / {{ proxy_pass http://{node}/; }}\n}}\n"
    );
    site(merge, "on", "merge") + &site(keep, "off", "keep") + &chain
}

fn haproxy_config([plain, dots, slashes]: [SocketAddr; 3]) -> String {
    let normalise = |orders: &[&str]| -> String {
        let lines = orders.iter().map(|order| format!(" http-request normalize-uri {order}\n"));
        lines.collect()
    };
    let site = |address: SocketAddr, name: &str, orders: &[&str]| {
        format!(
            "frontend {name}\n bind {address}\n{} http-request return status 200 content-type text/plain \
             string {name} if {{ path -m reg ^/api/login/*$ }}\n http-request return status 404\n",
            normalise(orders)
        )
    };
    let decode = "percent-decode-unreserved";
    let [dot, climb, merge] = ["path-strip-dot", "path-strip-dotdot full", "path-merge-slashes"];
    format!(
        "global\n expose-experimental-directives\ndefaults\n mode http\n timeout client 60s\n timeout http-request 60s\n\
         {}{}{}",
        site(plain, "plain", &[]),
        site(dots, "dots-first", &[decode, dot, climb, merge]),
        site(slashes, "slashes-first", &[decode, merge, dot, climb]),
    )
}

fn caddy_config(address: SocketAddr) -> String {
    format!(
        ":{} {{\n\t@regexp path_regexp ^/api/login/*$\n\t@path path /api/login /api/login/\n\t\
         route {{\n\t\trespond @regexp \"regexp path\" 200\n\t\trespond @path path 200\n\t\trespond 404\n\t}}\n}}\n",
        address.port()
    )
}

fn envoy_config() -> String {
    let address = json!({ "socket_address": { "address": "127.0.0.1", "port_value": 0 } });
    let listener = |name: &str, merges: bool| -> Value {
        let route = json!({
            "match": { "safe_regex": { "regex": "/api/login/*" } },
            "direct_response": { "status": 200, "body": { "inline_string": name } },
        });
        let manager = json!({
            "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
            "stat_prefix": name,
            "normalize_path": true,
            "merge_slashes": merges,
            "route_config": { "virtual_hosts": [{ "name": "site", "domains": ["*"], "routes": [route] }] },
            "http_filters": [{ "name": "envoy.filters.http.router", "typed_config": {
                "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router",
            } }],
        });
        let filter = json!({
            "name": "envoy.filters.network.http_connection_manager",
            "typed_config": manager,
        });
        json!({ "name": name, "address": address, "filter_chains": [{ "filters": [filter] }] })
    };
    let bootstrap = json!({
        "admin": { "address": address },
        "static_resources": {
            "listeners": [listener("normalize", false), listener("normalize-merge", true)],
        },
    });
    bootstrap.to_string()
}
