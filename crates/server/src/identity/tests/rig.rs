//! One server, asked over every protocol.

use std::{collections::BTreeMap, net::IpAddr, sync::Arc};

use tempfile::TempDir;
use tollgate_core::ManualClock;
use tollgate_rules::{ApiKey, Live};

use crate::{
    Fields, ResetAs, Sources, Token, Wording,
    authority::{Authority, Door},
    engine::Engine,
    gateway::ClientAddress,
    health::Condition,
    http::HttpService,
    identity::{
        Identifier, KeyHasher,
        jwt::Verifier,
        secret::{Kind, Secret},
    },
    listen::{Peer, Way},
    rls::Rls,
    rules::Shown,
    telemetry::Complaints,
};

/// Everything behind the protocols.
pub(super) struct Rig {
    pub(super) clock: ManualClock,
    pub(super) live: Arc<Live>,
    pub(super) engine: Arc<Engine>,
    /// The files, until it is dropped.
    _folder: TempDir,
    hasher: Arc<KeyHasher>,
    pub(super) http: Arc<HttpService>,
    pub(super) rls: Rls,
}

pub(super) const RULES: &str = "
version: 1
tiers:
  free: { rank: 1, default: 100000/h }
  premium: { rank: 2, default: 100000/h }
rules:
  - { name: all, key: [], limit: 100000/h, algorithm: fixed_window }
  - { name: once, match: { endpoint: /once }, key: [user], limit: 1/h, algorithm: fixed_window }
  - { name: closed, match: { tier: premium, endpoint: /premium }, action: block }
  - { name: one-key, match: { endpoint: /key }, key: [api_key], limit: 1/h, algorithm: fixed_window }
  - { name: one-org, match: { endpoint: /org }, key: [org], limit: 1/h, algorithm: fixed_window }
  - { name: key-or-address, match: { endpoint: /either }, key: ['api_key|ip'], limit: 1/h, algorithm: fixed_window }
  - { name: inner, match: { endpoint: /inner, ip: 127.0.0.0/8 }, action: block }
  - { name: one-address, match: { endpoint: /address }, key: [ip], limit: 5/h, algorithm: fixed_window }
";
pub(super) const SECRET: &str = "a-shared-secret-of-enough-characters";
/// A token of ours.
pub(super) const OURS: &str = "0123456789abcdef";

impl Rig {
    /// Without tokens.
    pub(super) fn plain() -> Self {
        Self::new(&[], &[])
    }

    /// With these settings, `{}` in which is the folder, and these files in it.
    pub(super) fn new(flags: &[(&str, &str)], files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let path = folder.path().display().to_string();
        let (mut environment, mut given) = (BTreeMap::new(), BTreeMap::new());
        for (name, value) in flags {
            let value = value.replace("{}", &path);
            if *name == "jwt_secret" {
                environment.insert("TOLLGATE_JWT_SECRET".to_owned(), value);
            } else {
                given.insert((*name).to_owned(), value);
            }
        }
        let sources = Sources { flags: given, environment, file: None };
        let loaded = crate::load(&sources).unwrap_or_else(|error| panic!("{error}"));
        let settings = loaded.settings.identity;
        let verifier = settings.jwt.as_ref();
        let verifier = verifier.map(|jwt| Arc::new(Verifier::open(jwt).unwrap().0));
        let live = Arc::new(Live::new());
        live.publish(&RULES.parse().unwrap(), 1);
        let (engine, clock) = Engine::of_live(Arc::clone(&live));
        let hasher = Arc::new(KeyHasher::new(b"a deployment"));
        let identifier = Arc::new(Identifier::new(&engine, &hasher, verifier, &settings));
        let authority = Arc::new(Authority::new(Token::new(OURS)));
        let http = Arc::new(HttpService {
            engine: Arc::clone(&engine),
            authority: Arc::clone(&authority),
            identifier: Arc::clone(&identifier),
            door: Door::Open,
            wording: Wording { fields: Fields::Vendor, reset: ResetAs::Epoch },
            body_bytes_max: 1 << 16,
            client_address: ClientAddress {
                proxies: loaded.settings.trusted_proxies,
                header: loaded.settings.client_address,
            },
            complaints: Complaints::default(),
            health: Arc::new(well),
        });
        let rls = Rls { engine: Arc::clone(&engine), authority, identifier, fields: None };
        Self { clock, live, engine, _folder: folder, hasher, http, rls }
    }

    /// Seconds since 1970, as the server has it.
    pub(super) fn now_s(&self) -> u64 {
        self.http.now().as_micros() / 1_000_000
    }

    /// Issues a key, and says it in clear.
    pub(super) fn issue(&self, id: &str, with: impl FnOnce(&mut ApiKey)) -> String {
        let secret = Secret::generate(Kind::ApiKey);
        let mut key = ApiKey::new(id.into(), self.hasher.digest(secret.as_str()));
        with(&mut key);
        self.live.directory().put_keys([key]);
        secret.as_str().to_owned()
    }

    pub(super) fn digest(&self, key: &str) -> tollgate_rules::KeyDigest {
        self.hasher.digest(key)
    }
}

/// Somebody on this machine.
pub(super) fn near() -> Peer {
    Peer::direct(([127, 0, 0, 1], 40_000).into())
}

/// Somebody far away.
pub(super) fn far() -> Peer {
    at("192.0.2.7")
}

pub(super) fn at(address: &str) -> Peer {
    let address: IpAddr = address.parse().unwrap();
    Peer::direct((address, 40_000).into())
}

/// Somebody of whom a proxy says this.
pub(super) fn behind(address: &str) -> Peer {
    Peer { way: Way::Proxied, ..at(address) }
}

fn well() -> Condition {
    Condition {
        revision: Some(1),
        shown: Shown::Own,
        degraded: Vec::new(),
        warnings: Vec::new(),
        counting: crate::counting::Counting::Alone,
    }
}
