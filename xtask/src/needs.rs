//! What has to be installed before the tests can run.

/// A program the tests start, and the Debian packages that bring it.
#[derive(Debug)]
pub(crate) struct Need {
    pub(crate) program: &'static str,
    pub(crate) packages: &'static [&'static str],
    pub(crate) reason: &'static str,
}

pub(crate) const fn need(
    program: &'static str,
    packages: &'static [&'static str],
    reason: &'static str,
) -> Need {
    Need { program, packages, reason }
}

const REDIS: Need = need(
    "redis-server",
    &["redis-server"],
    "keeps the counters of a fleet, and is measured beside our server",
);

pub(crate) const FOR_TESTS: &[Need] = &[
    need("cc", &["gcc", "libc6-dev"], "links every program"),
    need("git", &["git"], "tells tidy which files are ours"),
    need("postgres", &["postgresql"], "is the real server that the tests of stored rules start"),
    need("curl", &["curl"], "runs the commands of the manual"),
    need("openssl", &["openssl"], "makes certificates as the manual does, and shakes hands"),
    need(
        "redis-cli",
        &["redis-tools"],
        "asks the server as people at a terminal do, and so does redis-benchmark",
    ),
    REDIS,
    need("valkey-server", &["valkey-server"], "keeps the counters of a fleet as Redis does"),
    need("nginx", &["nginx"], "is a gateway that asks our server"),
    need("haproxy", &["haproxy"], "is a gateway that asks our server"),
    need("caddy", &["caddy"], "is a gateway that asks our server"),
    need("python3", &["python3", "python3-venv"], "runs the clients that are written in it"),
    need("node", &["nodejs"], "runs the program of the manual that is written for it"),
    need(
        "go",
        &["golang-go"],
        "builds a site whose reading of paths no spelling may use to get around a rule",
    ),
];

/// Beside those for the tests.
pub(crate) const FOR_BENCHMARKS: &[Need] =
    &[REDIS, need("taskset", &["util-linux"], "gives a server a core of its own")];

pub(crate) const FOR_FUZZING: &[Need] = &[need("c++", &["g++"], "builds the fuzzing engine")];

/// Debian starts these once they are installed, on ports that others want; the tests start their own.
pub(crate) const STARTED_BY_DEBIAN: &[&str] =
    &["caddy", "haproxy", "nginx", "redis-server", "valkey-server"];

/// A release of Debian may be older than these; then they are in what is ported back to it.
pub(crate) const FROM_BACKPORTS: &[&str] = &["valkey-server"];
