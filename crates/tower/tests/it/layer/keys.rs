//! By what requests are told apart.

use serde_json::json;
use tollgate::{Clock as _, SystemClock};
use tollgate_testkit::{
    Rng,
    jwt::{Signer, attacks},
};
use tollgate_tower::{
    JwtKey, Key, Missing, PeerAddr, ProxyHeader, TollgateLayer, header, jwt_claim, key_fn,
    path_param, peer_ip,
};

use super::{get, limiter, send};

/// Whether the second of two requests meets the budget of the first.
async fn meets<K: Key>(
    key: K,
    first: http::request::Builder,
    second: http::request::Builder,
) -> bool {
    let (limiter, _clock) = limiter("1/day");
    let layer = TollgateLayer::embedded(limiter).unwrap().key(key);
    assert_eq!(send(&layer, first).await.status, 200);
    send(&layer, second).await.status == 429
}

fn with(name: &str, value: &str) -> http::request::Builder {
    get("/").header(name, value)
}

fn from(address: &str) -> http::request::Builder {
    get("/").extension(PeerAddr(address.parse().unwrap()))
}

// Proves: L2
#[tokio::test]
async fn one_value_is_one_client() {
    let key = header("x-api-key");
    assert!(meets(key.clone(), with("x-api-key", "a"), with("x-api-key", " a ")).await);
    assert!(!meets(key.clone(), with("x-api-key", "a"), with("x-api-key", "A")).await);
    // Whoever has none shares with the others who have none, and with nobody else.
    assert!(meets(key.clone(), get("/"), with("x-api-key", " ")).await);
    assert!(!meets(key, get("/"), with("x-api-key", "a")).await);
    let id = path_param("/users/{id}/**", "id").unwrap();
    assert!(meets(id.clone(), get("/users/ann"), get("/users//%61nn/posts?x=1")).await);
    assert!(!meets(id, get("/users/ann"), get("/users/bob")).await);
    let host = key_fn(|head| Some(head.header("host")?.to_lowercase().into()));
    assert!(meets(host, with("host", "A.example"), with("host", "a.example")).await);
}

// Proves: I4
#[tokio::test]
async fn addresses_of_one_client_are_one() {
    assert!(meets(peer_ip(), from("192.0.2.1:1"), from("192.0.2.1:2")).await);
    assert!(meets(peer_ip(), from("192.0.2.1:1"), from("[::ffff:192.0.2.1]:2")).await);
    assert!(!meets(peer_ip(), from("192.0.2.1:1"), from("192.0.2.2:1")).await);
    assert!(meets(peer_ip(), from("[2001:db8::1]:1"), from("[2001:db8::ffff:1:1]:1")).await);
    assert!(!meets(peer_ip(), from("[2001:db8::1]:1"), from("[2001:db8:0:1::1]:1")).await);
    // A stranger is not believed, whatever it says.
    let behind = peer_ip().behind(["10.0.0.0/8"]).unwrap();
    let lies = |lie: &str| from("192.0.2.1:1").header("x-forwarded-for", lie);
    assert!(meets(behind.clone(), lies("1.1.1.1"), lies("2.2.2.2")).await);
    let through = |way: &str| from("10.0.0.1:1").header("forwarded", way);
    let forwarded = behind.header(ProxyHeader::Forwarded);
    assert!(
        meets(forwarded.clone(), through("for=6.6.6.6, for=192.0.2.1"), through("for=192.0.2.1"))
            .await
    );
    assert!(!meets(forwarded, through("for=192.0.2.1"), through("for=192.0.2.2")).await);
    assert!(peer_ip().behind(["0.0.0.0/0"]).is_err());
}

/// A client that writes the header which its proxy hands on finds one budget, and not one for each lie.
// Proves: I4
#[tokio::test]
async fn the_header_that_a_proxy_hands_on_makes_no_budgets() {
    let behind = || peer_ip().behind(["10.0.0.0/8"]).unwrap();
    let single = |name: &str| behind().header(name.parse().unwrap());
    let keys = [
        (behind(), "x-forwarded-for", "forwarded"),
        (behind(), "x-forwarded-for", "x-real-ip"),
        (single("x-real-ip"), "x-real-ip", "x-forwarded-for"),
        (single("cf-connecting-ip"), "cf-connecting-ip", "forwarded"),
        (behind().header(ProxyHeader::Forwarded), "forwarded", "x-forwarded-for"),
        (behind().header(ProxyHeader::XForwardedFor), "x-forwarded-for", "forwarded"),
    ];
    let written = |name: &str, address: &str| match name {
        "forwarded" => format!("for={address}"),
        _ => address.to_owned(),
    };
    for (key, own, other) in keys {
        let (limiter, _clock) = limiter("10/day");
        let layer = TollgateLayer::embedded(limiter).unwrap().key(key.clone());
        let mut rng = Rng::new(5);
        let mut passed = 0;
        for _ in 0..1_000 {
            let lie = format!("198.51.{}.{}", rng.index(256), rng.index(256));
            let request = from("10.0.0.1:1")
                .header(own, written(own, "192.0.2.1"))
                .header(other, written(other, &lie));
            passed += u32::from(send(&layer, request).await.status == 200);
        }
        assert_eq!(passed, 10, "{key:?}");
        // Nor does it share what the proxy has for itself.
        for _ in 0..10 {
            assert_eq!(send(&layer, from("10.0.0.1:1")).await.status, 200, "{key:?}");
        }
        // Others behind the proxy do not notice.
        let honest = from("10.0.0.1:1").header(own, written(own, "192.0.2.2"));
        assert_eq!(send(&layer, honest).await.status, 200);
    }
}

/// A proxy's address is the most trusted that there is: it never stands in for one that cannot be read.
// Proves: I4
#[tokio::test]
async fn what_no_client_can_be_read_from_is_malformed() {
    let behind = || peer_ip().behind(["10.0.0.0/8"]).unwrap();
    for (key, name, value) in [
        (behind(), "x-forwarded-for", "unknown"),
        (behind(), "x-forwarded-for", ""),
        (behind(), "x-forwarded-for", "192.0.2.1, _hidden, 10.0.0.2"),
        (behind().header(ProxyHeader::Forwarded), "forwarded", "for=\"a"),
        (behind().header("x-real-ip".parse().unwrap()), "x-real-ip", "1.1.1.1, 2.2.2.2"),
    ] {
        let layer = TollgateLayer::embedded("10/day").unwrap().key(key);
        let request = from("10.0.0.1:1").header(name, value);
        assert_eq!(send(&layer, request).await.status, 400, "{name}: {value}");
        assert_eq!(layer.counts().malformed, 1);
        // A stranger's header is not read at all.
        let request = from("192.0.2.1:1").header(name, value);
        assert_eq!(send(&layer, request).await.status, 200, "{name}: {value}");
    }
}

/// Different values never meet, however they are cut and whichever alternative they came by.
// Proves: L2
#[tokio::test]
async fn joined_keys_never_meet() {
    let pair = (header("x-a"), header("x-b"));
    let both = |a: &str, b: &str| {
        let request = get("/");
        let request = if a.is_empty() { request } else { request.header("x-a", a) };
        if b.is_empty() { request } else { request.header("x-b", b) }
    };
    assert!(!meets(pair.clone(), both("a_b", "c"), both("a", "b_c")).await);
    assert!(!meets(pair.clone(), both("", "a"), both("a", "")).await);
    let mut rng = Rng::new(41);
    let texts = ["", "-", "1", "0+1:1", "1:", ":", "a", "0+1:a-"];
    for _ in 0..500 {
        let [a, b, c, d] = [(); 4].map(|()| rng.pick(&texts));
        let same = (a, b) == (c, d);
        assert_eq!(
            meets(pair.clone(), both(a, b), both(c, d)).await,
            same,
            "{a:?} {b:?} {c:?} {d:?}"
        );
    }
    let either = header("x-a").or(header("x-b")).or(peer_ip());
    assert!(!meets(either.clone(), both("v", ""), both("", "v")).await);
    assert!(meets(either.clone(), both("v", "w"), both("v", "")).await);
    let address = || from("192.0.2.1:1");
    assert!(!meets(either, address(), both("", "192.0.2.1")).await);
    let odd = key_fn(|head| head.header("x-a").map(|text| format!("\u{1}{text}").into()));
    assert!(!meets(odd.or(header("x-b")), both("1+1:v", ""), both("", "v")).await);
}

// Proves: L2
#[tokio::test]
async fn requests_without_a_key_are_shared_skipped_or_denied() {
    let (limiter, _clock) = limiter("1/day");
    let layer = TollgateLayer::embedded(limiter).unwrap().key(header("x-api-key"));
    let skipping = layer.clone().missing(Missing::Skip);
    let denying = layer.clone().missing(Missing::Deny);
    for _ in 0..3 {
        let skipped = send(&skipping, get("/")).await;
        assert_eq!((skipped.status, skipped.has("x-ratelimit-limit")), (200, false));
        assert_eq!(send(&denying, get("/")).await.status, 403);
    }
    assert_eq!(send(&layer, get("/")).await.status, 200);
    assert_eq!(send(&layer, get("/")).await.status, 429);
    assert_eq!(send(&denying, with("x-api-key", "a")).await.status, 200);
    assert_eq!(layer.counts().missing, 8);
}

// Proves: I1
#[tokio::test]
async fn claims_count_only_if_the_token_is_right() {
    let signer = Signer::rs256("k1");
    let now_s = SystemClock.now().wall.as_secs_ceil();
    let claims = json!({ "sub": "ann", "iss": "us", "aud": "search", "exp": now_s + 3_600 });
    let key = JwtKey::rs256(signer.pem().as_bytes()).unwrap();
    let sub = jwt_claim("sub", key.issuer("us").audience("search"));
    let (limiter, _clock) = limiter("2/day");
    let layer = TollgateLayer::embedded(limiter).unwrap().key(sub);
    let layer = layer.missing(Missing::Deny);
    let bearer = |token: &str| with("authorization", &format!("Bearer {token}"));
    assert_eq!(send(&layer, bearer(&signer.token(&claims))).await.status, 200);
    for attack in attacks(&signer, &claims, now_s) {
        // Keys are not looked up by name here, and no other claim is read than the one.
        if ["foreign kid", "tier is a list"].contains(&attack.name) {
            continue;
        }
        assert_eq!(send(&layer, bearer(&attack.token)).await.status, 403, "{}", attack.name);
    }
    let mut other = claims;
    other["jti"] = json!(2);
    assert_eq!(send(&layer, bearer(&signer.token(&other))).await.status, 200);
    assert_eq!(send(&layer, bearer(&signer.token(&other))).await.status, 429);
}
