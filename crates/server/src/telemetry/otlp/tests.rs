//! What is pushed, read by OpenTelemetry's own types and by a collector.
// Proves: O1

use std::{cell::Cell, sync::Arc, time::Duration};

use opentelemetry_proto::tonic::{
    collector::metrics::v1::ExportMetricsServiceRequest,
    metrics::v1::{metric::Data, number_data_point::Value as Number},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::timeout,
};
use tollgate_core::Micros;
use tollgate_rules::Snapshot;

use super::{
    super::{Protocol, Recorder},
    encode::{Origin, request},
    push::once,
};
use crate::config::{Collector, Sources, load};

/// Far longer than all of it takes.
const LONG: Duration = Duration::from_secs(60);

fn recorder() -> Recorder {
    let recorder = Recorder::new(&load(&Sources::default()).unwrap().settings);
    let rules = "version: 1\nrules: [{ name: login, key: [user], limit: 5/min }]";
    recorder.rules_changed(&Snapshot::compile(&rules.parse().unwrap(), 3));
    recorder.answered(Protocol::Http, 7, Micros::new(40));
    recorder.answered(Protocol::Http, 1, Micros::new(3_000_000));
    recorder
}

#[test]
fn opentelemetry_reads_what_is_pushed() {
    let origin =
        Origin { node: "n1", region: "eu", started_ns: 1, now_ns: 1_800_000_000_000_000_000 };
    let json = request(&recorder().read(), origin);
    let read: ExportMetricsServiceRequest = serde_json::from_value(json).unwrap();
    let resource = &read.resource_metrics[0];
    let about = &resource.resource.as_ref().unwrap().attributes;
    let keys: Vec<&str> = about.iter().map(|pair| pair.key.as_str()).collect();
    let wanted = ["service.name", "service.version", "service.instance.id", "tollgate.region"];
    assert_eq!(keys, wanted);
    let metrics = &resource.scope_metrics[0].metrics;
    let data = |name: &str| {
        let metric = metrics.iter().find(|metric| metric.name == name);
        metric.and_then(|metric| metric.data.clone()).unwrap()
    };
    let Data::Gauge(limit) = data("tollgate_rule_limit") else { panic!("a gauge") };
    let point = &limit.data_points[0];
    assert_eq!(point.value, Some(Number::AsInt(5)));
    assert_eq!(point.time_unix_nano, origin.now_ns);
    assert_eq!(point.attributes[0].key, "rule");
    let Data::Sum(decisions) = data("tollgate_decisions") else { panic!("a sum") };
    assert!(decisions.is_monotonic && decisions.aggregation_temporality == 2);
    assert_eq!(decisions.data_points.len(), 5 + 3 * 5 + 3);
    let Data::Histogram(durations) = data("tollgate_decision_duration_seconds") else {
        panic!("a histogram")
    };
    let http = &durations.data_points[0];
    assert_eq!((http.count, http.bucket_counts.len()), (8, http.explicit_bounds.len() + 1));
    assert_eq!((http.bucket_counts[2], http.bucket_counts.last().copied()), (7, Some(1)));
}

/// One request, to the end of its body; none if it breaks off.
async fn hear(stream: &mut TcpStream) -> Option<String> {
    let mut heard = String::new();
    loop {
        let mut more = [0; 4_096];
        let count = stream.read(&mut more).await.ok()?;
        if count == 0 {
            return None;
        }
        heard += std::str::from_utf8(&more[..count]).unwrap();
        let Some((head, body)) = heard.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if length.unwrap().parse() == Ok(body.len()) {
            return Some(heard);
        }
    }
}

/// A collector that is away, then there, then unwilling: decisions never notice, the metric does.
#[tokio::test]
async fn a_collector_comes_and_goes() {
    let recorder = Arc::new(recorder());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let collector: Collector = format!("http://{address}").parse().unwrap();
    let failures = || recorder.pushes.failures();
    // On a machine that stalls a push may be given up; then it is made again.
    let failed = async || {
        let before = failures();
        once(&recorder, &collector).await;
        failures() - before
    };

    let status = Cell::new("200 OK");
    let answers = async {
        while let Ok((mut stream, _)) = listener.accept().await {
            let Some(heard) = hear(&mut stream).await else {
                continue;
            };
            assert!(heard.starts_with("POST /v1/metrics HTTP/1.1\r\n"), "{heard}");
            assert!(heard.contains("content-type: application/json"), "{heard}");
            let (status, length) = (status.get(), "content-length: 2");
            let reply = format!("HTTP/1.1 {status}\r\n{length}\r\n\r\n{{}}");
            drop(stream.write_all(reply.as_bytes()).await);
        }
    };
    let pushes = async {
        while failed().await > 0 {}
        status.set("503 Service Unavailable");
        assert_eq!(failed().await, 1);
    };
    tokio::select! {
        () = answers => panic!("it takes no connections any more"),
        pushed = timeout(LONG, pushes) => pushed.unwrap(),
    }
    drop(listener);
    assert_eq!(failed().await, 1);
    let scrape = recorder.scrape();
    let told = format!("tollgate_otlp_push_failures_total {}\n", failures());
    assert!(scrape.contains(&told), "{scrape}");
}
