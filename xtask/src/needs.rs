//! What has to be installed before the tests can run.

/// A program the tests start, and the Debian packages that bring it.
#[derive(Debug)]
pub(crate) struct Need {
    pub(crate) program: &'static str,
    pub(crate) packages: &'static [&'static str],
    pub(crate) reason: &'static str,
}

const REDIS: Need = Need {
    program: "redis-server",
    packages: &["redis-server"],
    reason: "keeps the counters of a fleet, and is measured beside our server",
};

pub(crate) const FOR_TESTS: &[Need] = &[
    Need {
        program: "cc",
        packages: &["gcc", "libc6-dev"],
        reason: "links every program",
    },
    Need {
        program: "git",
        packages: &["git"],
        reason: "tells tidy which files are ours",
    },
    Need {
        program: "postgres",
        packages: &["postgresql"],
        reason: "is the real server that the tests of stored rules start",
    },
    Need {
        program: "curl",
        packages: &["curl"],
        reason: "runs the commands of the manual",
    },
    Need {
        program: "openssl",
        packages: &["openssl"],
        reason: "makes certificates as the manual does, and shakes hands",
    },
    Need {
        program: "redis-cli",
        packages: &["redis-tools"],
        reason: "asks the server as people at a terminal do, and so does redis-benchmark",
    },
    REDIS,
    Need {
        program: "valkey-server",
        packages: &["valkey-server"],
        reason: "keeps the counters of a fleet as Redis does",
    },
    Need {
        program: "nginx",
        packages: &["nginx"],
        reason: "is a gateway that asks our server",
    },
    Need {
        program: "haproxy",
        packages: &["haproxy"],
        reason: "is a gateway that asks our server",
    },
    Need {
        program: "caddy",
        packages: &["caddy"],
        reason: "is a gateway that asks our server",
    },
    Need {
        program: "python3",
        packages: &["python3", "python3-venv"],
        reason: "runs the clients that are written in it",
    },
    Need {
        program: "node",
        packages: &["nodejs"],
        reason: "runs the program of the manual that is written for it",
    },
    Need {
        program: "go",
        packages: &["golang-go"],
        reason: "builds a site whose reading of paths no spelling may use to get around a rule",
    },
];

/// Beside those for the tests.
pub(crate) const FOR_BENCHMARKS: &[Need] = &[
    REDIS,
    Need {
        program: "taskset",
        packages: &["util-linux"],
        reason: "gives a server a core of its own",
    },
];

pub(crate) const FOR_FUZZING: &[Need] = &[Need {
    program: "c++",
    packages: &["g++"],
    reason: "builds the fuzzing engine",
}];

/// Debian starts these once they are installed, on ports that others want; the tests start their own.
pub(crate) const STARTED_BY_DEBIAN: &[&str] =
    &["caddy", "haproxy", "nginx", "redis-server", "valkey-server"];

/// A release of Debian may be older than these; then they are in what is ported back to it.
pub(crate) const FROM_BACKPORTS: &[&str] = &["valkey-server"];
