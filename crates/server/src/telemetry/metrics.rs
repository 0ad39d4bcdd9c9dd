//! Every metric there is. `docs/reference/metrics.md` lists them, and a test compares.

use std::sync::atomic::Ordering::Relaxed;

use super::{
    histogram::seconds,
    hot, identity, overflow,
    reading::{Kind, Reading, Value},
    recorder::Recorder,
    resident::resident_bytes,
    traffic::Turned,
};

impl Recorder {
    /// All metrics, now. No label ever holds a key: rules, protocols and reasons are all there is.
    pub(super) fn read(&self) -> Reading {
        let mut reading = Reading::default();
        self.about_us(&mut reading);
        self.decisions(&mut reading);
        self.rules(&mut reading);
        self.counters(&mut reading);
        let by_rule = self.by_rule.load();
        let rules = by_rule.limits().into_iter().map(|(rule, _, _)| rule);
        overflow::read(rules, &self.overflows(), &mut reading);
        self.shared(&mut reading);
        hot::read(self.top(), &mut reading);
        identity::read(self, &mut reading);
        self.connections(&mut reading);
        self.certificates(&mut reading);
        reading
    }

    fn about_us(&self, reading: &mut Reading) {
        let one = Value::Whole(1);
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let help = "The version that runs; always 1";
        let family = reading.add(Kind::Gauge, "tollgate_build_info", help);
        family.with([("version", version)], one.clone());
        let names = [("node", self.node.clone()), ("region", self.region.clone())];
        let help = "The names of this node; always 1";
        reading.add(Kind::Gauge, "tollgate_node_info", help).with(names, one);
        let help = "When the process started, in seconds since 1970";
        let family = reading.add(Kind::Gauge, "process_start_time_seconds", help);
        family.with([], Value::Fraction(seconds(self.started_us)));
        if let Some(bytes) = resident_bytes() {
            let help = "Resident memory of the process";
            reading.gauge("tollgate_memory_bytes", help, bytes);
        }
        let help = "Pushes of metrics to the collector that failed";
        let failures = self.pushes.failures();
        reading.counter("tollgate_otlp_push_failures", help, failures);
    }

    fn decisions(&self, reading: &mut Reading) {
        let by_rule = self.by_rule.load();
        let help = "Decisions by rule and outcome: once for each rule that was charged, a denial once for the rule that denied";
        let family = reading.add(Kind::Counter, "tollgate_decisions", help);
        for (rule, outcome, count) in by_rule.decisions() {
            let labels = [("rule", rule), ("outcome", outcome.to_owned())];
            family.with(labels, Value::Whole(count));
        }
        let help = "Answers to CL.THROTTLE, which no rule is about";
        let family = reading.add(Kind::Counter, "tollgate_throttles", help);
        for (outcome, count) in ["allowed", "denied"].into_iter().zip(&self.throttles) {
            let labels = [("outcome", outcome.to_owned())];
            family.with(labels, Value::Whole(count.load(Relaxed)));
        }
        let help = "From the bytes of a request to those of its answer; requests that are answered \
                    together take as long as all of them";
        let family = reading.add(Kind::Histogram, "tollgate_decision_duration_seconds", help);
        for (protocol, lane) in self.traffic.lanes() {
            let durations = Value::Durations(lane.answered.read());
            family.with([("protocol", protocol)], durations);
        }
        let help = "Requests whose tier is not declared";
        let unknown = self.unknown_tiers.total();
        reading.counter("tollgate_unknown_tier", help, unknown);
        let help = "Refusals and resets that went on no record, since there was no room";
        let dropped = self.unrecorded.load(Relaxed);
        reading.counter("tollgate_audit_dropped", help, dropped);
    }

    fn rules(&self, reading: &mut Reading) {
        let by_rule = self.by_rule.load();
        let help = "The amount of each limit of each rule";
        let family = reading.add(Kind::Gauge, "tollgate_rule_limit", help);
        for (rule, period, amount) in by_rule.limits() {
            family.with([("rule", rule), ("period", period)], Value::Whole(amount));
        }
        let count = u64::try_from(by_rule.walked()).unwrap_or(u64::MAX);
        reading.gauge("tollgate_rules", "Enabled rules in force", count);
        if let Some(revision) = by_rule.revision() {
            let help = "The revision of the rules in force; absent while there is none";
            reading.gauge("tollgate_rules_revision", help, revision);
        }
        let is_followed = !self.is_behind.load(Relaxed);
        let help = "1 if the newest revision of the rule database is in force; 0 if it cannot be read or \
                    used and an older one stays";
        reading.gauge("tollgate_rules_followed", help, u64::from(is_followed));
        let is_fine = !self.reloads.is_failing();
        let help = "1 if the rules file was last read well, or there is none; 0 if it is broken and \
                    the rules before it stay in force";
        reading.gauge("tollgate_rules_reload_success", help, u64::from(is_fine));
        let help = "Times that the rules file could not be read or used";
        let failures = self.reloads.failures();
        reading.counter("tollgate_rules_reload_failures", help, failures);
    }

    fn counters(&self, reading: &mut Reading) {
        if let Some(stats) = self.store_stats() {
            let help = "Keys that the counters hold, run out or not";
            reading.gauge("tollgate_keys", help, stats.keys);
            let help = "Keys that the counters have room for";
            reading.gauge("tollgate_keys_capacity", help, stats.capacity);
            let help = "Live keys that gave up their place; what they had used stays in a sketch";
            reading.counter("tollgate_evicted_keys", help, stats.evicted_keys);
            let help = "Requests of keys that were counted in a sketch for want of room";
            reading.counter("tollgate_estimated_requests", help, stats.estimated_requests);
            let help = "Bytes that the sketches take";
            reading.gauge("tollgate_overflow_bytes", help, stats.overflow_bytes);
        }
        let help =
            "When the counters were last written to disk, in seconds since 1970; 0 is not yet";
        let family = reading.add(Kind::Gauge, "tollgate_counters_saved_timestamp_seconds", help);
        let saved = seconds(self.saves.went_well_us());
        family.with([], Value::Fraction(saved));
        let help = "Times that the counters could not be written to disk";
        let failures = self.saves.failures();
        reading.counter("tollgate_counters_save_failures", help, failures);
    }

    fn connections(&self, reading: &mut Reading) {
        let lanes: Vec<_> = self.traffic.lanes().collect();
        let help = "Connections that are open";
        let family = reading.add(Kind::Gauge, "tollgate_connections", help);
        for (protocol, lane) in &lanes {
            let open = lane.connections().1;
            family.with([("protocol", protocol.clone())], Value::Whole(open));
        }
        let help = "Connections that a listener holds at once";
        let family = reading.add(Kind::Gauge, "tollgate_connections_max", help);
        for (protocol, lane) in &lanes {
            let most = lane.connections_max();
            family.with([("protocol", protocol.clone())], Value::Whole(most));
        }
        let help = "Memory of requests that have not arrived whole, beyond what each connection has of its own";
        let family = reading.add(Kind::Gauge, "tollgate_unfinished_input_bytes", help);
        for (protocol, lane) in &lanes {
            let held = lane.unfinished.held();
            family.with([("protocol", protocol.clone())], Value::Whole(held));
        }
        let help = "Callers that have named themselves and have a connection open, each once";
        reading.gauge("tollgate_callers", help, self.callers().count());
        let help = "Connections so far";
        let family = reading.add(Kind::Counter, "tollgate_connections_opened", help);
        for (protocol, lane) in &lanes {
            let opened = lane.connections().0;
            family.with([("protocol", protocol.clone())], Value::Whole(opened));
        }
        let help = "Requests and connections that were turned away before a decision";
        let family = reading.add(Kind::Counter, "tollgate_turned_away", help);
        for (protocol, lane) in &lanes {
            for what in Turned::ALL {
                let labels = [("protocol", protocol.clone()), ("reason", what.word().to_owned())];
                family.with(labels, Value::Whole(lane.turned(what).load(Relaxed)));
            }
        }
    }

    /// Of the listeners that speak TLS.
    fn certificates(&self, reading: &mut Reading) {
        let lanes = self.traffic.lanes();
        let sealed = lanes.filter_map(|(protocol, lane)| {
            let expiry_s = lane.certificate_expiry()?;
            Some((("protocol", protocol), lane, expiry_s))
        });
        let sealed: Vec<_> = sealed.collect();
        let help =
            "When the certificate of a listener that speaks TLS runs out, in seconds since 1970";
        let name = "tollgate_tls_certificate_expiry_timestamp_seconds";
        let family = reading.add(Kind::Gauge, name, help);
        for (protocol, _, expiry_s) in &sealed {
            family.with([protocol.clone()], Value::Whole(*expiry_s));
        }
        let help = "Handshakes that came to nothing";
        let family = reading.add(Kind::Counter, "tollgate_tls_handshakes_failed", help);
        for (protocol, lane, _) in &sealed {
            for (failure, count) in lane.handshakes_failed() {
                let labels = [protocol.clone(), ("reason", failure.word().to_owned())];
                family.with(labels, Value::Whole(count));
            }
        }
        let help = "1 if the certificate in the files is in force; 0 if it cannot be used and the \
                    former one stays";
        let family = reading.add(Kind::Gauge, "tollgate_tls_reload_success", help);
        for (protocol, lane, _) in &sealed {
            let is_fine = Value::Whole(u64::from(!lane.reloads.is_failing()));
            family.with([protocol.clone()], is_fine);
        }
        let help = "Times that a new certificate could not be used";
        let family = reading.add(Kind::Counter, "tollgate_tls_reload_failures", help);
        for (protocol, lane, _) in &sealed {
            let failures = Value::Whole(lane.reloads.failures());
            family.with([protocol.clone()], failures);
        }
    }
}
