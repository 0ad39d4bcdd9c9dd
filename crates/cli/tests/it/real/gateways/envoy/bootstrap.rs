//! Envoy's configuration, as somebody would write it who asks a rate limit service.

use std::net::SocketAddr;

use serde_json::{Value, json};

use super::house::over;

/// The listener that clients come to.
pub(super) const LISTENER: &str = "clients";
/// The domain of the rate limit filter.
pub(super) const DOMAIN: &str = "shop";

/// Envoy between its clients and a backend, asking a rate limit service.
pub(super) struct Bootstrap {
    pub(super) service: SocketAddr,
    pub(super) backend: SocketAddr,
    /// What a route is limited by: the list `rate_limits`.
    pub(super) rate_limits: Value,
    /// Whose list it is: the route's, as ever, or the filter's, which knows of addends.
    pub(super) lists: Lists,
    /// More of the rate limit filter's fields.
    pub(super) filter: Value,
    /// What every request is given: metadata by its namespace.
    pub(super) metadata: Value,
    /// How the service is reached, if not in clear.
    pub(super) transport: Value,
}

/// Where Envoy finds the list `rate_limits`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Lists {
    #[default]
    Route,
    Filter,
}

impl Bootstrap {
    pub(super) fn text(&self) -> String {
        let http2 = json!({
            "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
                "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
                "explicit_http_config": { "http2_protocol_options": {} },
            },
        });
        let mut service = cluster("tollgate", self.service);
        service["typed_extension_protocol_options"] = http2;
        if !self.transport.is_null() {
            service["transport_socket"] = self.transport.clone();
        }
        let bootstrap = json!({
            "admin": { "address": address("127.0.0.1:0".parse().unwrap()) },
            "static_resources": {
                "listeners": [self.listener()],
                "clusters": [service, cluster("backend", self.backend)],
            },
        });
        bootstrap.to_string()
    }

    fn listener(&self) -> Value {
        let manager = json!({
            "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
            "stat_prefix": "clients",
            "use_remote_address": true,
            "route_config": { "virtual_hosts": [self.host()] },
            "http_filters": [
                { "name": "envoy.filters.http.set_metadata", "typed_config": self.knowing() },
                { "name": "envoy.filters.http.ratelimit", "typed_config": self.filter() },
                { "name": "envoy.filters.http.router", "typed_config": {
                    "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router",
                } },
            ],
        });
        let filter = json!({
            "name": "envoy.filters.network.http_connection_manager",
            "typed_config": manager,
        });
        json!({
            "name": LISTENER,
            "address": address("127.0.0.1:0".parse().unwrap()),
            "filter_chains": [{ "filters": [filter] }],
        })
    }

    fn host(&self) -> Value {
        let mut route = json!({ "match": { "prefix": "/" }, "route": { "cluster": "backend" } });
        match self.lists {
            Lists::Route => route["route"]["rate_limits"] = self.rate_limits.clone(),
            Lists::Filter => {
                route["typed_per_filter_config"] = json!({ "envoy.filters.http.ratelimit": {
                    "@type": "type.googleapis.com/envoy.extensions.filters.http.ratelimit.v3.RateLimitPerRoute",
                    "rate_limits": self.rate_limits,
                } });
            }
        }
        json!({ "name": "backend", "domains": ["*"], "routes": [route] })
    }

    fn filter(&self) -> Value {
        let filter = json!({
            "@type": "type.googleapis.com/envoy.extensions.filters.http.ratelimit.v3.RateLimit",
            "domain": DOMAIN,
            "rate_limit_service": {
                "transport_api_version": "V3",
                "grpc_service": { "envoy_grpc": { "cluster_name": "tollgate" } },
            },
        });
        over(filter, &self.filter)
    }

    fn knowing(&self) -> Value {
        let spaces = self.metadata.as_object().into_iter().flatten();
        let metadata = spaces
            .map(|(space, value)| json!({ "metadata_namespace": space, "value": value }))
            .collect::<Vec<Value>>();
        json!({
            "@type": "type.googleapis.com/envoy.extensions.filters.http.set_metadata.v3.Config",
            "metadata": metadata,
        })
    }
}

fn cluster(name: &str, at: SocketAddr) -> Value {
    let endpoint = json!({ "endpoint": { "address": address(at) } });
    json!({
        "name": name,
        "type": "STATIC",
        "connect_timeout": "60s",
        "load_assignment": {
            "cluster_name": name,
            "endpoints": [{ "lb_endpoints": [endpoint] }],
        },
    })
}

fn address(at: SocketAddr) -> Value {
    json!({ "socket_address": { "address": at.ip().to_string(), "port_value": at.port() } })
}

/// An entry of a descriptor from a header of the request; without the header there is no descriptor.
pub(super) fn header(name: &str, key: &str) -> Value {
    json!({ "request_headers": { "header_name": name, "descriptor_key": key } })
}

/// An entry that is always the same.
pub(super) fn always(key: &str, value: &str) -> Value {
    json!({ "generic_key": { "descriptor_key": key, "descriptor_value": value } })
}
