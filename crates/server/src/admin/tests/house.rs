//! A server without sockets: catalog, watcher, engine and the admin side.

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, to_bytes},
    http::{HeaderMap, Request},
};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use serde_json::Value;
use tempfile::TempDir;
use tokio::{sync::watch, task::JoinSet, time::timeout};
use tollgate_catalog::{
    Catalog, DatabaseUrl, NodeId, Options, RevisionNumber, WatchSettings, WatchStatus, Watcher,
};
use tollgate_core::SystemClock;
use tollgate_memory::MemoryStore;
use tollgate_rules::{Live, Query};
use tollgate_testkit::postgres::{Database, Postgres};

use crate::{
    admin::{
        router::router,
        state::{AdminState, Connections},
    },
    authority::{Authority, Door},
    config::{Administrators, Approvals, Demo, Listeners, OverrideBounds, Owner},
    engine::{Ask, Engine, Time, at_once},
    health::Condition,
    identity::{Identifier, KeyHasher},
    listen::InputBudget,
    rules::{Publisher, Shown},
    telemetry::{Protocol, Recorder},
};

/// Whatever the tests wait for comes within this, or not at all.
pub(super) const SOON: Duration = Duration::from_secs(60);

/// A node with its admin side.
pub(super) struct House {
    pub(super) engine: Arc<Engine>,
    pub(super) authority: Arc<Authority>,
    pub(super) catalog: Catalog,
    pub(super) router: Router,
    _folder: TempDir,
    _postgres: Option<Database>,
    pub(super) status: watch::Receiver<WatchStatus>,
    _tasks: JoinSet<()>,
}

/// What is different from a plain house.
pub(super) struct Plan {
    pub(super) authority: Authority,
    pub(super) door: Door,
    pub(super) administrators: Administrators,
    pub(super) approvals: Approvals,
    pub(super) owner: Owner,
    pub(super) shown: Shown,
    pub(super) url: Option<DatabaseUrl>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            authority: Authority::new(None),
            door: Door::Loopback,
            administrators: Administrators::Nobody,
            approvals: Approvals::Off,
            owner: Owner::Catalog,
            shown: Shown::Own,
            url: None,
        }
    }
}

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) text: String,
}

impl House {
    pub(super) async fn sqlite() -> Self {
        Self::build(Plan::default()).await
    }

    pub(super) async fn postgres() -> Self {
        let database = Postgres::shared().database("admin");
        let url = Some(database.url().parse().unwrap());
        let house = Self::build(Plan { url, ..Plan::default() }).await;
        Self { _postgres: Some(database), ..house }
    }

    pub(super) async fn build(plan: Plan) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = || DatabaseUrl::file(folder.path().join("rules.db"));
        let url = plan.url.unwrap_or_else(file);
        // More time for an answer than a machine stalls.
        let options = Options::default().call_max(SOON);
        let catalog = Catalog::open_with(&url, options).await.unwrap();
        let live = Arc::new(Live::new());
        let (authority, recorder) = (Arc::new(plan.authority), Arc::new(Recorder::default()));
        let publisher = Publisher::new(
            Arc::clone(&live),
            Arc::clone(&recorder),
            Demo::Off,
            crate::counting::Counting::Alone,
        );
        let publisher = Arc::new(publisher.telling(Arc::clone(&authority)));
        let settings = WatchSettings::new(NodeId::new("gate-1"))
            .poll(Duration::from_secs(600))
            // Until the next one it counts as alive, also on a machine that stalls.
            .heartbeat(SOON);
        let (mut watcher, status) = Watcher::new(catalog.clone(), publisher, settings);
        watcher.start(SOON).await.unwrap();
        let mut tasks = JoinSet::new();
        tasks.spawn(watcher.run(std::future::pending()));
        let time = Time::new(SystemClock);
        let store = MemoryStore::new(time.clone());
        let engine = Arc::new(Engine::new(live, store, time, recorder));
        let (seen, shown) = (status.clone(), plan.shown);
        let condition = move || Condition {
            revision: seen.borrow().revision().map(RevisionNumber::get),
            shown,
            degraded: Vec::new(),
            warnings: Vec::new(),
            counting: crate::counting::Counting::Alone,
        };
        let hasher = Arc::new(KeyHasher::new(b"a secret of thirty-two characters"));
        let identifier = Identifier::plain(&engine).hashing(&hasher);
        let state = AdminState {
            engine: Arc::clone(&engine),
            catalog: catalog.clone(),
            authority: Arc::clone(&authority),
            door: plan.door,
            administrators: plan.administrators,
            identifier: Arc::new(identifier),
            hasher,
            approvals: plan.approvals,
            bounds: bounds(),
            owner: plan.owner,
            hosts: vec!["gate.internal".to_owned()],
            node: NodeId::new("gate-1"),
            region: "local".to_owned(),
            connections: connections(&url),
            budget: InputBudget::new(Protocol::Admin, 1 << 26, engine.recorder()),
            condition: Box::new(condition),
        };
        Self {
            engine,
            authority,
            catalog,
            router: router(state),
            _folder: folder,
            _postgres: None,
            status,
            _tasks: tasks,
        }
    }

    /// Sends a request and reads the answer.
    pub(super) async fn send(&self, request: Request<Body>) -> Answer {
        let is_head = request.method() == "HEAD";
        let service = TowerToHyperService::new(self.router.clone());
        let answer = timeout(SOON, service.call(request)).await.unwrap().unwrap();
        let (parts, body) = answer.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        let answer = Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            text: String::from_utf8(bytes.into()).unwrap(),
        };
        if !is_head {
            answer.is_plausible();
        }
        answer
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        self.send(ask("GET", path, &[], None)).await
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(ask("POST", path, &[], Some(body))).await
    }

    pub(super) async fn put(&self, path: &str, tag: &str, body: &Value) -> Answer {
        self.send(ask("PUT", path, &[("if-match", tag)], Some(body))).await
    }

    pub(super) async fn delete(&self, path: &str, tag: &str) -> Answer {
        self.send(ask("DELETE", path, &[("if-match", tag)], None)).await
    }

    /// The newest revision in the catalog.
    pub(super) async fn head(&self) -> u64 {
        self.catalog.head().await.unwrap().revision.get()
    }

    /// Waits until a revision is in force here.
    pub(super) async fn until(&self, revision: u64) {
        let number = RevisionNumber::new(revision);
        let mut status = self.status.clone();
        let seen = status.wait_for(|status| status.revision() >= number);
        drop(timeout(SOON, seen).await.unwrap().unwrap());
    }

    /// How many of so many requests of a user pass.
    pub(super) fn passes(&self, user: &str, tries: u64) -> u64 {
        let query = Query::new().user(user).unwrap();
        let pass = |_: &u64| {
            at_once(self.engine.check(&Ask::new(query.clone())))
                .unwrap()
                .unwrap()
                .ruling
                .is_allowed()
        };
        u64::try_from((0..tries).filter(pass).count()).unwrap()
    }
}

fn bounds() -> OverrideBounds {
    OverrideBounds { factor_max: "10x".parse().unwrap(), span_max: Duration::from_secs(7 * 86_400) }
}

/// Where it would listen if it had sockets.
fn connections(database: &DatabaseUrl) -> Connections {
    let at = |port: u16| ([127, 0, 0, 1], port).into();
    Connections {
        listeners: Listeners { http: at(7070), grpc: at(7071), resp: at(7072), admin: at(7080) },
        database: database.to_string(),
        redis: None,
    }
}

/// A request as a client on this machine sends it.
pub(super) fn ask(
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&Value>,
) -> Request<Body> {
    let mut request = Request::builder().method(method).uri(path);
    if !headers.iter().any(|(name, _)| *name == "host") {
        request = request.header("host", "localhost:7080");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    match body {
        Some(body) => {
            if !headers.iter().any(|(name, _)| *name == "content-type") {
                request = request.header("content-type", "application/json");
            }
            request.body(Body::from(body.to_string())).unwrap()
        }
        None => request.body(Body::empty()).unwrap(),
    }
}

impl Answer {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("not JSON: {}", self.text))
    }

    /// The answer's body, which must have this status.
    pub(super) fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        self.json()
    }

    pub(super) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    /// Every error is a problem, and says what to do.
    fn is_plausible(&self) {
        if self.status < 400 || (self.status == 503 && self.text.contains("\"ready\"")) {
            return;
        }
        assert_eq!(self.header("content-type"), "application/problem+json", "{}", self.text);
        let body = self.json();
        assert_eq!(body["status"], self.status);
        assert!(body["type"].as_str().unwrap().starts_with("urn:tollgate:problem:"));
        assert!(!body["detail"].as_str().unwrap().is_empty());
    }
}
