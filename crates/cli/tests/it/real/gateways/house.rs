//! A site behind a gateway that asks a server.

use std::net::SocketAddr;

use tollgate_testkit::{
    BACKEND_SAYS, Backend,
    certificates::{A_YEAR, Authority},
    free_address,
    gateway::Gateway,
    wait_for,
};

use crate::common::{
    Desk,
    http::{Http, Reply},
    server::{LONG, Server},
};

/// Every path has a budget of its own for every client: three at once, and no more for twenty minutes.
const RULES: &str = "\
version: 1
rules:
  - { name: each, key: [ip, endpoint], limit: { per: 3/h, burst: 3 } }
  - { name: secret, match: { endpoint: /secret }, action: block, response: { message: nothing here } }
";
/// What `each` allows at once.
pub(crate) const BUDGET: u32 = 3;

/// Everything between a client and a site.
pub(crate) struct House {
    pub(crate) gateway: Gateway,
    pub(crate) backend: Backend,
    server: Option<Server>,
    http: SocketAddr,
    desk: Desk,
    /// Flags of the server.
    flags: Vec<String>,
}

/// What a snippet is made for.
pub(crate) struct Plan<'a> {
    desk: &'a Desk,
    http: SocketAddr,
    flags: &'a [String],
    pub(crate) backend: SocketAddr,
    /// Where the gateway shall listen.
    pub(crate) listen: SocketAddr,
}

impl Plan<'_> {
    /// What the program prints for a gateway.
    #[track_caller]
    pub(crate) fn snippet(&self, gateway: &str) -> String {
        let http = self.http.to_string();
        let mut words = vec!["snippet", gateway, "--http", &http];
        words.extend(self.flags.iter().map(String::as_str));
        let ran = self.desk.run(&words).fine();
        assert_eq!(ran.err, "", "nothing but the snippet");
        // Where the certificates of a sealed house are.
        let folder = self.desk.path("").display().to_string();
        ran.out.replace("/etc/tollgate/", &folder)
    }

    /// Of a sealed house, the certificate of the gateway and its key.
    pub(crate) fn join_certificate(&self) {
        let both = self.desk.read("gateway.pem") + &self.desk.read("gateway.key");
        self.desk.write("gateway.pem", &both);
    }
}

/// What somebody changes in a snippet, which must be there to be changed.
#[track_caller]
pub(crate) fn put(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "no {from:?} in {text}");
    text.replace(from, to)
}

/// With deadlines that hold on a machine with other work, for stories in which nobody is late on purpose.
#[track_caller]
pub(crate) fn patient(text: &str) -> String {
    put(&put(text, " 50ms", " 60s"), " 100ms", " 60s")
}

/// With deadlines that a story about a server that hangs can wait for, and that still hold on a slow machine.
#[track_caller]
pub(crate) fn hasty(text: &str) -> String {
    put(&put(text, " 50ms", " 250ms"), " 100ms", " 500ms")
}

impl House {
    /// With the gateway that `open` starts by a snippet.
    pub(crate) fn new(open: impl FnOnce(&Plan<'_>) -> Gateway) -> Self {
        Self::with(Desk::new(), Vec::new(), open)
    }

    /// One in which Tollgate and the gateway know each other by certificates.
    pub(crate) fn sealed(open: impl FnOnce(&Plan<'_>) -> Gateway) -> Self {
        let desk = Desk::new();
        let (folder, authority) = (desk.path(""), Authority::new("house"));
        authority.write(&desk.path("ca.pem"));
        authority.server(&folder, "tollgate", A_YEAR);
        authority.client(&folder, "gateway", A_YEAR);
        let words =
            "--http-tls-cert tollgate.pem --http-tls-key tollgate.key --http-tls-client-ca ca.pem";
        let flags = words.split(' ').map(str::to_owned).collect();
        Self::with(desk, flags, open)
    }

    fn with(desk: Desk, flags: Vec<String>, open: impl FnOnce(&Plan<'_>) -> Gateway) -> Self {
        desk.write("rules.yaml", RULES);
        let (http, backend) = (free_address(), Backend::start());
        let mut house = Self {
            server: None,
            gateway: open(&Plan {
                desk: &desk,
                http,
                flags: &flags,
                backend: backend.addr(),
                listen: free_address(),
            }),
            backend,
            http,
            desk,
            flags,
        };
        house.start();
        house
    }

    /// Starts Tollgate where the snippet says it is.
    pub(crate) fn start(&mut self) {
        let http = self.http.to_string();
        let mut words = vec!["--http", &http, "--rules", "rules.yaml"];
        words.extend(self.flags.iter().map(String::as_str));
        let server = self.desk.serve(&words);
        self.server = Some(server);
        // Some gateways look now and then whether it is back.
        wait_for("the gateway asks", LONG, || {
            let reply = self.get("/is-it-there");
            reply.header("tollgate-decision-id").map(drop)
        });
    }

    pub(crate) fn kill(&mut self) {
        self.server.take().unwrap().kill();
    }

    /// Tollgate itself.
    pub(crate) fn server(&self) -> &Server {
        self.server.as_ref().unwrap()
    }

    /// A connection to the gateway.
    pub(crate) fn visit(&self) -> Http {
        Http::to(self.gateway.addr())
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.visit().get(path)
    }

    /// How often the backend was asked for this.
    pub(crate) fn seen(&self, target: &str) -> usize {
        let requests = self.backend.requests();
        let asked = |head: &&String| head.split(' ').nth(1) == Some(target);
        requests.iter().filter(asked).count()
    }

    /// Asks until the budget of a path is spent, by which all must have come through.
    #[track_caller]
    pub(crate) fn spend(&self, path: &str) {
        for left in (0..BUDGET).rev() {
            let reply = self.get(path).with(200);
            assert_eq!(reply.body, BACKEND_SAYS);
            let shown = |name: &str| reply.header(name).map(str::to_owned);
            assert_eq!(shown("x-ratelimit-limit"), Some(BUDGET.to_string()));
            assert_eq!(shown("x-ratelimit-remaining"), Some(left.to_string()));
            assert!(shown("x-ratelimit-reset").is_some(), "{reply:?}");
            assert!(shown("tollgate-decision-id").is_some(), "{reply:?}");
            assert_eq!(shown("tollgate-reason").as_deref(), Some("allowed"));
            assert_eq!(shown("retry-after"), None);
        }
    }
}
