//! What everybody is called.

pub(crate) const CL_THROTTLE: &str = "Tollgate CL.THROTTLE";
pub(crate) const TG_CHECK: &str = "Tollgate TG.CHECK, 200 rules";
pub(crate) const CHECK: &str = "Tollgate /ratelimit/check, 200 rules";
pub(crate) const BATCH: &str = "Tollgate /ratelimit/check/batch, 200 rules";
pub(crate) const CEILING: &str = "ceiling: fixed reply, tokio";
pub(crate) const CEILING_CHECK: &str = "ceiling: fixed reply of TG.CHECK's size";
pub(crate) const INCR: &str = "redis-server INCR";
pub(crate) const LUA: &str = "redis-server, token bucket in Lua";
pub(crate) const CRAB: &str = "throttlecrab-server as shipped";
pub(crate) const CRAB_NODELAY: &str = "throttlecrab-server with NODELAY";
pub(crate) const AXUM: &str = "axum, fixed reply";
pub(crate) const LIMITADOR: &str = "limitador's library behind axum";
pub(crate) const RLS: &str = "Tollgate ShouldRateLimit, 200 rules";
pub(crate) const TONIC: &str = "tonic, fixed reply";
pub(crate) const CRAB_GRPC: &str = "throttlecrab-server over gRPC";
pub(crate) const LIMITADOR_GRPC: &str = "limitador's library behind tonic";
pub(crate) const TG_CHECK_TLS: &str = "Tollgate TG.CHECK over TLS";
pub(crate) const CHECK_TLS: &str = "Tollgate /ratelimit/check over TLS";
