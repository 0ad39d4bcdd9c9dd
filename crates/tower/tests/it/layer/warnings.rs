//! What the layer says by itself.

use tollgate_tower::{Key as _, PeerAddr, TollgateLayer, header, peer_ip};
use tracing::{
    Dispatch, Event, Level, Metadata, Subscriber, dispatcher,
    span::{Attributes, Id, Record},
};

use super::{Counter, get, limiter, send};

/// Counts the warnings of the layer.
struct Log(Counter);

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("tollgate_tower") && *metadata.level() == Level::WARN
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        self.0.add();
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Somebody who forgot to have addresses noted sees limits that are too tight: the layer says why, and does not go on
/// about it.
// Proves: L2
#[tokio::test]
async fn that_nobody_notes_addresses_is_said_once() {
    let warnings = Counter::default();
    let log = Dispatch::new(Log(warnings.clone()));
    // With one dispatcher in the process, another test's thread decides by its own, which is none, that the warning is
    // of no interest to any. With two, all are asked.
    let _other = Dispatch::new(Log(Counter::default()));
    let _log = dispatcher::set_default(&log);
    let (limiter, _clock) = limiter("100/day");
    let new = || TollgateLayer::embedded(std::sync::Arc::clone(&limiter)).unwrap();
    let peer = || get("/").extension(PeerAddr("192.0.2.1:1".parse().unwrap()));

    let layer = new();
    send(&layer, peer()).await;
    let keyed = new().key(header("x-api-key"));
    send(&keyed, get("/")).await;
    assert_eq!(warnings.get(), 0);
    for _ in 0..5 {
        send(&layer, get("/")).await;
        send(&layer.clone(), get("/")).await;
    }
    assert_eq!(warnings.get(), 1);

    let either = new().key(header("x-api-key").or(peer_ip()));
    send(&either, get("/").header("x-api-key", "a")).await;
    assert_eq!(warnings.get(), 1);
    send(&either, get("/")).await;
    assert_eq!(warnings.get(), 2);
}
