//! How curl asks a server, whatever it speaks.

use std::net::SocketAddr;

use crate::{config::TlsFiles, tls::About};

/// The words before the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Curl {
    /// Options, with a blank after each.
    pub(crate) words: String,
    /// `https://tollgate.example:7070`.
    pub(crate) origin: String,
}

/// For whom nothing is known that signed the certificate.
const CA: &str = "YOUR-CA.pem";
/// For what a client must show, which a server does not have.
const CLIENT: &str = "--cert YOUR-CERT.pem --key YOUR-KEY.pem ";

impl Curl {
    /// To a listener, and to what is known of its certificate.
    pub(crate) fn new(address: SocketAddr, tls: Option<(&TlsFiles, &About)>) -> Self {
        let Some((files, about)) = tls else {
            return Self { words: String::new(), origin: format!("http://{address}") };
        };
        let mut words = if about.is_rooted {
            format!("--cacert {} ", files.certificate.display())
        } else {
            format!("--cacert {CA} ")
        };
        if files.client_ca.is_some() {
            words += CLIENT;
        }
        let (ip, port) = (address.ip(), address.port());
        let is_for = |host: &str| about.hosts.iter().any(|known| known == host);
        let named = about.hosts.iter().find(|host| !host.contains('*'));
        let origin = match named {
            _ if is_for(&ip.to_string()) => format!("https://{address}"),
            _ if ip.is_loopback() && is_for("localhost") => format!("https://localhost:{port}"),
            // The certificate is for a name that may not lead here yet.
            Some(name) => {
                words += &format!("--connect-to ::{address} ");
                format!("https://{name}:{port}")
            }
            None => format!("https://{address}"),
        };
        Self { words, origin }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// To a server whose file ends with the root unless clients must show a certificate.
    fn curl(hosts: &[&str], client_ca: Option<&str>) -> String {
        let files = TlsFiles {
            certificate: "server.pem".into(),
            key: "server.key".into(),
            client_ca: client_ca.map(Into::into),
        };
        let about = About {
            hosts: hosts.iter().map(|&host| host.to_owned()).collect(),
            is_rooted: client_ca.is_none(),
            ..About::default()
        };
        let address = "127.0.0.1:7070".parse().unwrap();
        let Curl { words, origin } = Curl::new(address, Some((&files, &about)));
        words + &origin
    }

    #[test]
    fn curl_asks_by_a_name_that_the_certificate_has() {
        for (hosts, expected) in [
            (&["a.example", "127.0.0.1"][..], "--cacert server.pem https://127.0.0.1:7070"),
            (&["a.example", "localhost"], "--cacert server.pem https://localhost:7070"),
            (
                &["*.example", "a.example"],
                "--cacert server.pem --connect-to ::127.0.0.1:7070 https://a.example:7070",
            ),
            (&[], "--cacert server.pem https://127.0.0.1:7070"),
        ] {
            assert_eq!(curl(hosts, None), expected);
        }
    }

    #[test]
    fn what_a_server_does_not_have_is_left_to_fill_in() {
        assert_eq!(
            curl(&["localhost"], Some("ca.pem")),
            "--cacert YOUR-CA.pem --cert YOUR-CERT.pem --key YOUR-KEY.pem https://localhost:7070"
        );
    }
}
