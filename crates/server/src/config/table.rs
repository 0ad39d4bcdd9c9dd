//! The general settings.

use super::setting::{Setting, Takes};

/// The general settings, in the order in which they are shown.
pub(super) const GENERAL: &[Setting] = &[
    Setting::value(
        "http",
        "ADDRESS",
        "127.0.0.1:7070",
        "Where decisions over HTTP are answered, and health",
    ),
    Setting::value(
        "grpc",
        "ADDRESS",
        "127.0.0.1:7071",
        "Where Envoy asks, by its rate limit service, and gRPC health",
    ),
    Setting::value(
        "resp",
        "ADDRESS",
        "127.0.0.1:7072",
        "Where decisions over the Redis protocol are answered",
    ),
    Setting::value(
        "admin",
        "ADDRESS",
        "127.0.0.1:7080",
        "Where the admin API and metrics are; an address that others can reach needs a token, or admin_tls_client_ca",
    ),
    Setting::value(
        "data",
        "DIR",
        "./tollgate-data",
        "The folder of the SQLite file, the last good snapshot, the saved counters and the journal of what was spent in Redis",
    ),
    Setting::optional(
        "database",
        "URL",
        "The rule database, sqlite:PATH or postgres://…; without it the SQLite file in the data folder",
    )
    .taking(Takes::Address),
    Setting::optional(
        "redis",
        "URLS",
        "The Redis or Valkey through which nodes share counters, redis://… or rediss://…; of a Cluster any nodes, separated by commas",
    )
    .taking(Takes::Address),
    Setting::optional(
        "redis_ca",
        "FILE",
        "Who signs the certificate of a rediss:// server, in PEM; without it those that the system believes",
    ),
    Setting::value(
        "redis_prefix",
        "TEXT",
        "rl",
        "What the names of all counters in Redis begin with; fleets that share a Redis need one each",
    ),
    Setting::value(
        "redis_deadline",
        "SPAN",
        "5ms",
        "How long a decision may wait for Redis; then the rule's on_failure answers",
    ),
    Setting::value(
        "leases",
        "on|off",
        "on",
        "Leases for rules with `consistency: leased`; off counts every decision in Redis",
    ),
    Setting::optional(
        "rules",
        "FILE",
        "A rules file that owns the rules: loaded at the start and watched; with SQLite only",
    ),
    Setting::value(
        "region",
        "NAME",
        "local",
        "The region's name in metrics and answers",
    ),
    Setting::optional(
        "node",
        "NAME",
        "The node's name in metrics and in the list of nodes; without it a random one at every start",
    ),
    Setting::value(
        "no_demo",
        "true|false",
        "false",
        "Run no demo rules while there are none of your own",
    )
    .taking(Takes::Switch),
    Setting::optional(
        "token_file",
        "FILE",
        "A file with the token that opens the admin side beyond this machine",
    ),
    Setting::optional(
        "token",
        "TOKEN",
        "The token itself, at least 16 characters; by the environment only",
    )
    .taking(Takes::Secret),
    Setting::optional(
        "tls_cert",
        "FILE",
        "The certificate chain in PEM, the server's own first, with which every listener speaks TLS; in clear without it",
    ),
    Setting::optional(
        "tls_key",
        "FILE",
        "The private key in PEM that belongs to tls_cert",
    ),
    Setting::optional(
        "tls_client_ca",
        "FILE",
        "Who signs the certificates that every client must show, in PEM; without it none is asked for",
    ),
    Setting::optional(
        "http_tls_cert",
        "FILE|off",
        "As tls_cert, for decisions over HTTP alone; off is in clear",
    ),
    Setting::optional("http_tls_key", "FILE", "As tls_key, for decisions over HTTP alone"),
    Setting::optional(
        "http_tls_client_ca",
        "FILE|off",
        "As tls_client_ca, for decisions over HTTP alone; off asks for none",
    ),
    Setting::optional(
        "grpc_tls_cert",
        "FILE|off",
        "As tls_cert, for gRPC alone; off is in clear",
    ),
    Setting::optional("grpc_tls_key", "FILE", "As tls_key, for gRPC alone"),
    Setting::optional(
        "grpc_tls_client_ca",
        "FILE|off",
        "As tls_client_ca, for gRPC alone; off asks for none",
    ),
    Setting::optional(
        "resp_tls_cert",
        "FILE|off",
        "As tls_cert, for the Redis protocol alone; off is in clear",
    ),
    Setting::optional("resp_tls_key", "FILE", "As tls_key, for the Redis protocol alone"),
    Setting::optional(
        "resp_tls_client_ca",
        "FILE|off",
        "As tls_client_ca, for the Redis protocol alone; off asks for none",
    ),
    Setting::optional(
        "admin_tls_cert",
        "FILE|off",
        "As tls_cert, for the admin side alone; off is in clear",
    ),
    Setting::optional("admin_tls_key", "FILE", "As tls_key, for the admin side alone"),
    Setting::optional(
        "admin_tls_client_ca",
        "FILE|off",
        "As tls_client_ca, for the admin side alone, and who may administer from afar without a token; off asks for none",
    ),
    Setting::value(
        "trusted_proxies",
        "NETWORKS",
        "127.0.0.0/8,::1",
        "The networks of the gateways that are believed when they name their client; none: nobody",
    ),
    Setting::value(
        "client_address",
        "HEADER",
        "x-forwarded-for",
        "The one header in which trusted_proxies name their client: x-forwarded-for, forwarded, or one that holds a single address, such as x-real-ip, cf-connecting-ip or true-client-ip",
    ),
    Setting::value(
        "keys_max",
        "COUNT",
        "1000000",
        "How many keys the counters have room for, at 23 bytes each",
    ),
    Setting::value(
        "overflow_bytes",
        "BYTES",
        "16777216",
        "How much memory may be taken to count keys that find no room there, and as much again for CL.THROTTLE",
    ),
    Setting::value(
        "ratelimit_fields",
        "vendor|draft|both",
        "vendor",
        "Which header fields carry the numbers: X-RateLimit-*, RateLimit of the IETF's draft, or both",
    ),
    Setting::value(
        "envoy_fields",
        "none|vendor|draft|both",
        "none",
        "Which of those fields Envoy is told to add to answers; it can make X-RateLimit-* itself",
    ),
    Setting::value(
        "ratelimit_reset",
        "epoch|seconds",
        "epoch",
        "What X-RateLimit-Reset counts: seconds since 1970, or from now",
    ),
    Setting::value(
        "penalty",
        "on|off",
        "off",
        "Whether whoever keeps asking after a denial waits longer each time: over 10 denials a minute 2, 4, 8 … 60 s, with some jitter",
    ),
    Setting::value(
        "connections_max",
        "COUNT",
        "10000",
        "How many connections each listener holds at once; fewer if the process may not open that many files, and of those from one address a quarter",
    ),
    Setting::value(
        "body_bytes_max",
        "BYTES",
        "1048576",
        "How long the body of a request may be; of a single check 64 KiB at most",
    ),
    Setting::value(
        "unfinished_bytes_max",
        "BYTES",
        "67108864",
        "How much memory all requests of one listener hold before they have arrived whole, beyond 16 KiB for each connection",
    ),
    Setting::value(
        "request_timeout",
        "SPAN",
        "10s",
        "How long a client may take to send one request",
    ),
    Setting::value(
        "idle_timeout",
        "SPAN",
        "75s",
        "How long an HTTP connection may rest between two requests",
    ),
    Setting::value(
        "resp_idle_timeout",
        "SPAN",
        "5min",
        "How long a RESP connection may rest between two commands",
    ),
    Setting::value(
        "write_timeout",
        "SPAN",
        "10s",
        "How long a client may take to receive an answer",
    ),
    Setting::value(
        "drain_timeout",
        "SPAN",
        "10s",
        "How long requests under way may take once the server is told to stop",
    ),
    Setting::value(
        "log",
        "LEVEL",
        "info",
        "What is logged: error, warn, info, debug, trace, or a list such as info,tollgate_server=debug",
    ),
    Setting::value(
        "log_format",
        "text|json",
        "text",
        "How it is logged: text for people, json for programs",
    ),
    Setting::optional(
        "otlp",
        "URL",
        "An OpenTelemetry collector to push metrics to, http://HOST:PORT[/PATH]",
    )
    .taking(Takes::Address),
];
