//! The few words that rules and requests are made of. Texts come up as different facts on purpose.

use tollgate_core::{Timestamp, Unit};

pub(super) const USERS: [&str; 4] = ["alice", "bob", "10.0.0.1", "free"];
pub(super) const ORGS: [&str; 3] = ["acme", "alice", "umbrella"];
pub(super) const API_KEYS: [&str; 3] = ["k1", "k2", "alice"];
pub(super) const REGIONS: [&str; 3] = ["eu", "us", "acme"];
/// The tiers that rules may name.
pub(super) const TIERS: [&str; 3] = ["free", "premium", "admin"];
/// A tier nobody has declared.
pub(super) const GHOST_TIER: &str = "ghost";
pub(super) const METHODS: [&str; 3] = ["GET", "POST", "PATCH"];
pub(super) const ADDRESSES: [&str; 8] = [
    "10.0.0.1",
    "10.1.2.3",
    "192.0.2.1",
    "2001:db8::1",
    "2001:db8::2",
    "2001:db8:0:1::5",
    "2001:db8:0:1ff::5",
    "fd00::1",
];
/// Some with bits behind the prefix.
pub(super) const NETWORKS: [&str; 14] = [
    "0.0.0.0/0",
    "10.0.0.0/8",
    "10.9.9.9/8",
    "10.1.0.0/16",
    "10.1.2.0/31",
    "10.1.2.2/31",
    "192.0.2.1/32",
    "::/0",
    "2001:db8::/32",
    "2001:db8:0:1::/64",
    "2001:db8:0:2::7/63",
    "2001:db8:0:1::7/56",
    "2001:db8::1/128",
    "fc00::/7",
];
pub(super) const PATHS: [&str; 9] = [
    "/",
    "/api",
    "/api/login",
    "/api/users",
    "/api/users/42",
    "/api/users/7",
    "/api/users/42/orders",
    "/API/users",
    "/v2/users/42",
];
pub(super) const PATTERNS: [&str; 20] = [
    "/",
    "/**",
    "/*",
    "/{root}",
    "/api",
    "/api/**",
    "/api/*",
    "/api/{page}",
    "/api/login",
    "/api/users",
    "/api/users/42",
    "/api/users/{id}",
    "/api/users/*",
    "/api/users/**",
    "/api/users/{id}/**",
    "/{version}/users/42",
    "/*/users/{id}",
    "/api/*/42",
    "/*/*/*/orders",
    "/api/users/42/**",
];
pub(super) const ATTRIBUTES: [&str; 3] = ["plan", "app", "size"];
pub(super) const VALUES: [&str; 8] =
    ["pro", "prof", "trial", "ios", "ios-beta", "3000", "0", "1024"];
/// Beginnings and ends of the values.
pub(super) const PARTS: [&str; 6] = ["pro", "i", "beta", "0", "trial", ""];
/// Keys and values of descriptor entries.
pub(super) const ENTRIES: [&str; 3] = ["domain", "path", "plan"];
pub(super) const GROUPS: [&str; 3] = ["per-user", "per-ip", "login"];
pub(super) const PERIODS: [(u64, Unit); 6] = [
    (1, Unit::Second),
    (1, Unit::Minute),
    (5, Unit::Minute),
    (1, Unit::Hour),
    (1, Unit::Day),
    (1, Unit::Month),
];
/// What time it may be. Overrides and blocks end at these moments too.
pub(super) const MOMENTS: [Timestamp; 4] = [
    Timestamp::from_secs(1_800_000_000),
    Timestamp::from_micros(1_800_000_000_000_001),
    Timestamp::from_secs(1_800_000_060),
    Timestamp::from_secs(1_800_003_600),
];
