//! Certificates that change while the server runs.

use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread::JoinHandle,
};

use rustix::process::Signal;
use tollgate_testkit::{
    certificates::{A_YEAR, Signed},
    tls::{Client, shown},
    wait_for,
};

use super::house::{House, KNOWN};
use crate::common::{
    http::Http,
    server::{LONG, Server},
};

/// How often the certificate changes while clients ask.
const TURNS: usize = 4;
const CLIENTS: usize = 3;
const CHECK: &str = r#"{"user_id":"alice","endpoint":"/api"}"#;

/// Clients that ask without pause; each request is answered, or the test fails.
struct Load {
    is_over: Arc<AtomicBool>,
    answered: Arc<AtomicU64>,
    clients: Vec<JoinHandle<u64>>,
}

impl Load {
    fn new() -> Self {
        Self { is_over: Arc::default(), answered: Arc::default(), clients: Vec::new() }
    }

    /// One that asks by `ask` until it is over.
    fn with(&mut self, mut ask: impl FnMut() + Send + 'static) {
        let (is_over, answered) = (Arc::clone(&self.is_over), Arc::clone(&self.answered));
        self.clients.push(std::thread::spawn(move || {
            let mut count = 0;
            while !is_over.load(Relaxed) {
                ask();
                answered.fetch_add(1, Relaxed);
                count += 1;
            }
            count
        }));
    }

    fn end(self) -> Vec<u64> {
        self.is_over.store(true, Relaxed);
        let clients = self.clients.into_iter();
        clients.map(|client| client.join().unwrap()).collect()
    }
}

fn is_shown(house: &House, server: &Server, identity: Option<&Signed>, wanted: &Signed) {
    for at in [server.http, server.grpc, server.resp, server.admin] {
        wait_for("the new certificate is shown", LONG, || {
            (shown(&house.connect(at, identity)) == wanted.der).then_some(())
        });
    }
}

// Proves: S7
#[test]
fn a_new_certificate_under_load_loses_no_answer() {
    let house = House::new();
    let server = house.serve(&KNOWN);
    let billing = house.client("billing.example", A_YEAR);
    let client = Client::new(&house.ca, Some(&billing));
    let at = server.http;
    let mut load = Load::new();
    for _ in 0..CLIENTS {
        // One that stays, and one that comes anew for each request.
        let mut kept = house.http(at, Some(&billing));
        load.with(move || {
            let reply = kept.try_ask("POST", "/ratelimit/check", CHECK);
            assert_eq!(reply.unwrap().status, 200);
        });
        let client = client.clone();
        load.with(move || {
            let stream = client.connect(at).unwrap();
            let mut http = Http::over(at, Box::new(stream));
            let reply = http.try_ask("POST", "/ratelimit/check", CHECK);
            assert_eq!(reply.unwrap().status, 200);
        });
    }
    let mut resp = house.connect(server.resp, Some(&billing));
    for turn in 0..TURNS {
        let folder = house.desk.path("");
        let next = house.authority.server(&folder, &format!("next-{turn}"), A_YEAR);
        house.ours.replace(&next);
        is_shown(&house, &server, Some(&billing), &next);
        let before = load.answered.load(Relaxed);
        wait_for("clients are answered on and on", LONG, || {
            (load.answered.load(Relaxed) > before + 20).then_some(())
        });
        assert_eq!(ping(&mut resp), "+PONG\r\n");
    }
    let counts = load.end();
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
    let log = wait_for("a line about each", LONG, || {
        let log = server.log();
        (told(&log) >= TURNS).then_some(log)
    });
    assert!(!log.contains("ERROR"), "{log}");
    assert_eq!(told(&log), TURNS, "{log}");
}

/// How often the log tells of a new certificate.
fn told(log: &str) -> usize {
    log.matches("A new certificate is in force").count()
}

/// Replaces a file at once: what is half written is never read.
fn put(path: &Path, bytes: impl AsRef<[u8]>) {
    let beside = path.with_extension("new");
    fs::write(&beside, bytes).unwrap();
    fs::rename(&beside, path).unwrap();
}

fn ping(stream: &mut tollgate_testkit::tls::Sealed) -> String {
    use std::io::{Read as _, Write as _};
    stream.write_all(b"PING\r\n").unwrap();
    let mut answer = [0; 7];
    stream.read_exact(&mut answer).unwrap();
    String::from_utf8(answer.to_vec()).unwrap()
}

// Proves: S7
#[test]
fn a_certificate_that_cannot_be_used_leaves_the_former_one() {
    let house = House::new();
    let server = house.serve(&[]);
    let (certificate, key) = (&house.ours.certificate, &house.ours.key);
    let (sound, sound_key) = (fs::read(certificate).unwrap(), fs::read(key).unwrap());
    let folder = house.desk.path("");
    let other = house.authority.server(&folder, "other", A_YEAR);
    let breaks: [&dyn Fn(); 4] = [
        &|| put(certificate, "no certificate"),
        &|| put(key, fs::read(&other.key).unwrap()),
        &|| fs::remove_file(key).unwrap(),
        &|| put(certificate, fs::read(key).unwrap()),
    ];
    let mut kept = house.http(server.http, None);
    for (place, breaks) in breaks.iter().enumerate() {
        breaks();
        server.signal(Signal::HUP);
        let degraded = wait_for("the trouble is told", LONG, || {
            let ready = kept.get("/readyz").with(200).json();
            let degraded = ready["degraded"].as_array().unwrap().clone();
            degraded.into_iter().next()
        });
        let words = degraded.as_str().unwrap();
        assert!(words.contains("the former certificate stays"), "{words}");
        assert_eq!(shown(&house.connect(server.http, None)), house.ours.der);
        let metrics = house.http(server.admin, None).get("/metrics").body;
        let series = "tollgate_tls_reload_success{protocol=\"http\"} 0";
        assert!(metrics.contains(series), "{metrics}");
        wait_for("the log says it once", LONG, || {
            let errors = server.log().matches("The former certificate stays").count();
            assert!(errors <= place + 1, "{}", server.log());
            (errors == place + 1).then_some(())
        });

        put(certificate, &sound);
        put(key, &sound_key);
        wait_for("all is well again", LONG, || {
            let ready = kept.get("/readyz").with(200).json();
            ready["degraded"].as_array().unwrap().is_empty().then_some(())
        });
    }
    // Many looks found what was there before, and put nothing in force.
    assert_eq!(told(&server.log()), 0, "{}", server.log());
    house.ours.replace(&other);
    is_shown(&house, &server, None, &other);
    fs::remove_file(key).unwrap();
    wait_for("a few more looks", LONG, || {
        let ready = kept.get("/readyz").with(200).json();
        ready["degraded"].get(0).map(drop)
    });
    wait_for("the log says it once", LONG, || {
        let told = told(&server.log());
        assert!(told <= 1, "{}", server.log());
        (told == 1).then_some(())
    });
}

// Proves: S7
#[test]
fn whom_a_listener_believes_can_change_too() {
    let house = House::new();
    let server = house.serve(&KNOWN);
    let former = house.client("former.example", A_YEAR);
    house.knock(server.http, Some(&former)).unwrap().with(200);
    let new = tollgate_testkit::certificates::Authority::new("the new house");
    let next = new.client(&house.desk.path(""), "next", A_YEAR);
    new.write(&house.desk.path("new-ca.pem"));
    let client = Client::new(&house.ca, Some(&next));
    fs::rename(house.desk.path("new-ca.pem"), house.desk.path("moved")).unwrap();
    fs::copy(&house.ca, house.desk.path("old-ca.pem")).unwrap();
    fs::rename(house.desk.path("moved"), &house.ca).unwrap();
    wait_for("the new authority is believed", LONG, || {
        let stream = client.connect(server.http).ok()?;
        let mut http = Http::over(server.http, Box::new(stream));
        http.try_ask("GET", "/readyz", "").ok()
    });
    let old = Client::new(&house.desk.path("old-ca.pem"), Some(&former));
    let stream = old.connect(server.http).unwrap();
    let mut http = Http::over(server.http, Box::new(stream));
    assert!(http.try_ask("GET", "/readyz", "").is_err());
}
