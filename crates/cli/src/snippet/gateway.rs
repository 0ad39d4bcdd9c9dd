//! The gateways, each with its template.

use clap::ValueEnum;

/// Something in front of a site that can ask us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Gateway {
    Envoy,
    Istio,
    Nginx,
    Haproxy,
    HaproxyLua,
    Traefik,
    Caddy,
}

impl Gateway {
    /// As it is typed.
    pub(super) fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Its configuration, with `{{…}}` where our addresses go.
    pub(super) const fn template(self) -> &'static str {
        match self {
            Self::Envoy => include_str!("templates/envoy.yaml"),
            Self::Istio => include_str!("templates/istio.yaml"),
            Self::Nginx => include_str!("templates/nginx.conf"),
            Self::Haproxy => include_str!("templates/haproxy.cfg"),
            Self::HaproxyLua => include_str!("templates/haproxy-lua.txt"),
            Self::Traefik => include_str!("templates/traefik.yaml"),
            Self::Caddy => include_str!("templates/Caddyfile"),
        }
    }
}
