//! The same question by every protocol.

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tollgate_rls::{Code, Entry, RateLimitDescriptor, RateLimitRequest};

use super::{
    rig::{Rig, near},
    told::{Told, body, header, of_identity, status, told},
};
use crate::{
    authority::Door,
    engine::at_once,
    http::HttpSession,
    identity::Sender,
    listen::{Peer, Session as _},
    resp::RespSession,
    rls::{Caller, Rls},
};

/// How it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Check,
    Batch,
    Resp,
    Envoy,
    Nginx,
    ForwardAuth,
}

impl By {
    pub(super) const ALL: [Self; 6] =
        [Self::Check, Self::Batch, Self::Resp, Self::Envoy, Self::Nginx, Self::ForwardAuth];
    /// Those by which facts can be stated.
    pub(super) const STATING: [Self; 4] = [Self::Check, Self::Batch, Self::Resp, Self::Envoy];
}

impl Rig {
    /// Asks from this machine for what `facts` say, an object of the fields of a check.
    pub(super) fn ask(&self, by: By, facts: &Value) -> Told {
        self.ask_from(by, &near(), "", facts)
    }

    /// Asks from elsewhere, with more header lines, or with a token of ours if there is one among them.
    pub(super) fn ask_from(&self, by: By, peer: &Peer, lines: &str, facts: &Value) -> Told {
        match by {
            By::Check => self.check(peer, lines, facts),
            By::Batch => self.batch(peer, lines, facts),
            By::Resp => self.resp(peer, lines, facts),
            By::Envoy => self.envoy(peer, lines, facts),
            By::Nginx => {
                let said = self.gateway(peer, By::Nginx, lines, facts);
                let text = header(&said, "Tollgate-Body").unwrap_or("{}").to_owned();
                told(&said, header(&said, "Tollgate-Status"), &text)
            }
            By::ForwardAuth => {
                let said = self.gateway(peer, By::ForwardAuth, lines, facts);
                told(&said, None, body(&said))
            }
        }
    }

    /// What is left of the rule that counts everything.
    pub(super) fn left(&self) -> Value {
        let said = self.post(&near(), "/ratelimit/peek", "", &json!({ "endpoint": "/" }));
        let answer: Value = serde_json::from_str(body(&said)).unwrap();
        answer["remaining"].clone()
    }

    /// How often somebody was not believed for this reason.
    pub(super) fn refused(&self, reason: &str) -> u64 {
        let scraped = self.engine.recorder().scrape();
        let row = format!("tollgate_identity_refused_total{{reason=\"{reason}\"}} ");
        let count = scraped.lines().find_map(|line| line.strip_prefix(&row));
        count.unwrap_or("0").parse().unwrap()
    }

    fn check(&self, peer: &Peer, lines: &str, facts: &Value) -> Told {
        let said = self.post(peer, "/ratelimit/check", lines, facts);
        if status(&said) == 401 {
            let challenge = header(&said, "WWW-Authenticate");
            assert_eq!(challenge, Some("Bearer error=\"invalid_token\""));
        }
        told(&said, None, body(&said))
    }

    fn batch(&self, peer: &Peer, lines: &str, facts: &Value) -> Told {
        // Its neighbours do not mind.
        let requests = json!({ "requests": [{ "endpoint": "/" }, facts, { "endpoint": "/" }] });
        let said = self.post(peer, "/ratelimit/check/batch", lines, &requests);
        let answer: Value = serde_json::from_str(body(&said)).unwrap_or_else(|_| panic!("{said}"));
        assert_eq!(answer["results"][0]["allowed"], json!(true), "{said}");
        assert_eq!(answer["results"][2]["allowed"], json!(true), "{said}");
        let one = &answer["results"][1];
        match &one["error"] {
            Value::Null => told(
                if one["allowed"] == true { "a 200 b" } else { "a 429 b" },
                None,
                &one.to_string(),
            ),
            error => told(&said, Some(&error["status"].to_string()), &error.to_string()),
        }
    }

    fn post(&self, peer: &Peer, path: &str, lines: &str, body: &Value) -> String {
        let body = body.to_string();
        let length = body.len();
        let bytes = format!(
            "POST {path} HTTP/1.1\r\nHost: a\r\n{lines}Content-Length: {length}\r\n\r\n{body}"
        );
        self.say(peer, &bytes)
    }

    /// A gateway knows of its client what it shows.
    fn gateway(&self, peer: &Peer, by: By, lines: &str, facts: &Value) -> String {
        let (path, prefix) = match by {
            By::Nginx => ("/gateway/nginx", "X-Original"),
            _ => ("/gateway/forward-auth", "X-Forwarded"),
        };
        let shown = |name: &str, line: &str| {
            let value = facts[name].as_str();
            value.map_or(String::new(), |value| format!("{line}{value}\r\n"))
        };
        let token = shown("token", "Authorization: Bearer ");
        let key = shown("api_key", "X-API-Key: ");
        let uri = facts["endpoint"].as_str().unwrap_or("/");
        let mark = if prefix == "X-Original" { "URI" } else { "Uri" };
        let bytes = format!(
            "GET {path} HTTP/1.1\r\nHost: a\r\n{prefix}-{mark}: {uri}\r\n{prefix}-Method: GET\r\n{token}{key}{lines}\r\n"
        );
        self.say(peer, &bytes)
    }

    fn say(&self, peer: &Peer, bytes: &str) -> String {
        let mut session = HttpSession::new(Arc::clone(&self.http), peer.clone());
        let mut output = Vec::new();
        at_once(session.advance(bytes.as_bytes(), &mut output)).unwrap();
        String::from_utf8(output).unwrap()
    }

    fn resp(&self, peer: &Peer, lines: &str, facts: &Value) -> Told {
        let Rls { engine, authority, identifier, .. } = &self.rls;
        let (engine, authority) = (Arc::clone(engine), Arc::clone(authority));
        let session = RespSession::new(engine, authority, Arc::clone(identifier), Door::Open);
        let mut session = session.with(peer.clone());
        let mut input = String::new();
        if let Some(token) = bearer(lines) {
            input += &format!("AUTH {token}\r\n");
        }
        let mut words = vec!["TG.CHECK".to_owned()];
        for (name, value) in facts.as_object().unwrap() {
            words.extend([name.clone(), value.as_str().unwrap().to_owned()]);
        }
        // Between two others, so that it is gathered with them.
        let other = ["TG.CHECK", "endpoint", "/"].map(str::to_owned).to_vec();
        for words in [&other, &words, &other] {
            input += &format!("*{}\r\n", words.len());
            for word in words {
                input += &format!("${}\r\n{word}\r\n", word.len());
            }
        }
        let mut output = Vec::new();
        at_once(session.advance(input.as_bytes(), &mut output)).unwrap();
        let text = String::from_utf8(output).unwrap();
        let text = text.strip_prefix("+OK\r\n").unwrap_or(&text);
        let allowed = "*6\r\n:1\r\n";
        let (_, rest) = text.strip_prefix(allowed).unwrap().split_once("\r\nall\r\n").unwrap();
        assert!(rest.matches(allowed).count() > 0, "{text}");
        let kind =
            [("-UNAUTHENTICATED ", 401), ("-FORBIDDEN ", 403), ("-ERR ", 400), ("*6\r\n:0", 429)];
        let found =
            kind.iter().find_map(|(word, status)| Some((rest.strip_prefix(word)?, *status)));
        let (rest, status) = found.unwrap_or((rest, 200));
        let reason = rest.split_once(": ").filter(|_| status < 429 && status > 200);
        Told { status, reason: reason.map(|(reason, _)| reason.to_owned()), text: rest.to_owned() }
    }

    fn envoy(&self, peer: &Peer, lines: &str, facts: &Value) -> Told {
        let entries = facts.as_object().unwrap().iter().map(|(name, value)| {
            let key = match name.as_str() {
                "token" => "authorization",
                "endpoint" => "path",
                other => other,
            };
            Entry { key: key.to_owned().into(), value: value.as_str().unwrap().to_owned().into() }
        });
        let request = RateLimitRequest {
            domain: "edge".into(),
            descriptors: vec![RateLimitDescriptor {
                entries: entries.collect(),
                limit: None,
                hits_addend: None,
            }],
            hits_addend: 0,
        };
        let caller = Caller {
            trust: self.rls.identifier.trust(peer),
            sender: Sender::of_call(&header_map(lines)),
            peer: Some(peer.address.ip()),
            token: bearer(lines),
        };
        // An error is what Envoy lets pass.
        let response = at_once(self.rls.answer(&request, caller)).unwrap().unwrap();
        let headers = &response.response_headers_to_add;
        let header = |name: &str| {
            let found = headers.iter().find(|header| header.key == name);
            found.map(|header| header.value.clone())
        };
        let status = header("tollgate-status").map(|status| status.parse().unwrap());
        assert!(status.is_none() || response.overall_code() == Code::OverLimit);
        Told {
            status: status.unwrap_or(if response.overall_code() == Code::Ok { 200 } else { 429 }),
            reason: header("tollgate-reason").and_then(|word| of_identity(&word)),
            text: format!("{response:?}"),
        }
    }
}

/// The token of ours among header lines.
fn bearer(lines: &str) -> Option<&str> {
    lines.lines().find_map(|line| line.strip_prefix("Authorization: Bearer "))
}

fn header_map(lines: &str) -> HeaderMap {
    let pairs = lines.lines().filter_map(|line| line.split_once(": "));
    let pairs = pairs.map(|(name, value)| {
        let name: HeaderName = name.parse().unwrap();
        (name, HeaderValue::from_str(value).unwrap())
    });
    pairs.collect()
}
