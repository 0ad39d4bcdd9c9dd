//! Random ways, written in every way they can be, against the slowest and most obvious reading of them.
// Proves: I4

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use tollgate_testkit::Rng;

use super::{found, proxies};
use crate::gateway::ProxyHeader;

/// Who handed a request on; the farthest is first.
#[derive(Clone, Copy, Debug)]
enum Station {
    At(IpAddr),
    Hidden,
}

/// The whole way with the peer at its end: what comes before the last that is no proxy is cut off. What is first now is
/// the client, if nothing is hidden.
fn model(way: &[Station], peer: IpAddr) -> Option<IpAddr> {
    let mut way: Vec<Station> = way.to_vec();
    way.push(Station::At(peer));
    let is_stranger = |station: &Station| match station {
        Station::At(address) => !proxies().has(*address),
        Station::Hidden => false,
    };
    if let Some(last) = way.iter().rposition(is_stranger) {
        way.drain(..last);
    }
    let addresses = way.iter().map(|station| match station {
        Station::At(address) => Some(*address),
        Station::Hidden => None,
    });
    let addresses: Option<Vec<IpAddr>> = addresses.collect();
    addresses.and_then(|addresses| addresses.first().copied())
}

fn address(rng: &mut Rng) -> IpAddr {
    let low = u32::try_from(rng.index(4)).unwrap();
    let [.., last] = low.to_be_bytes();
    rng.pick(&[
        IpAddr::V4(Ipv4Addr::new(10, 0, 0, last)),
        IpAddr::V4(Ipv4Addr::new(192, 0, 2, last)),
        IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 1, 0, 0, 0, 0, u16::from(last))),
        IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 2, 0, 0, 0, 0, u16::from(last))),
        IpAddr::V6(Ipv6Addr::LOCALHOST),
    ])
}

/// One of the ways to write an address.
fn written(address: IpAddr, rng: &mut Rng) -> String {
    let address = match address {
        IpAddr::V4(four) if rng.one_in(3) => IpAddr::V6(four.to_ipv6_mapped()),
        other => other,
    };
    match (address, rng.index(3)) {
        (IpAddr::V4(four), 0) => format!("{four}:{}", rng.index(65_536)),
        (IpAddr::V4(four), _) => four.to_string(),
        (IpAddr::V6(six), 0) => format!("[{six}]:{}", rng.index(65_536)),
        (IpAddr::V6(six), 1) => format!("[{six}]"),
        (IpAddr::V6(six), _) => six.to_string(),
    }
}

/// Which header tells of the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Header {
    Forwarded,
    List,
}

impl Header {
    const fn read(self) -> ProxyHeader {
        match self {
            Self::Forwarded => ProxyHeader::Forwarded,
            Self::List => ProxyHeader::XForwardedFor,
        }
    }
}

fn element(station: Station, header: Header, rng: &mut Rng) -> String {
    let text = match station {
        Station::At(address) => written(address, rng),
        Station::Hidden => rng.pick(&["unknown", "_gone", "-", "1.2.3"]).to_owned(),
    };
    if header == Header::List {
        return text;
    }
    let text =
        if text.contains(['[', ':']) || rng.one_in(2) { format!("\"{text}\"") } else { text };
    let name = rng.pick(&["for", "For", "FOR"]);
    let before = rng.pick(&["", "proto=http;", "host=\"a,b;c\\\"\"; ", ";"]);
    let after = rng.pick(&["", ";by=_x", " ; secret=\"\"", ";"]);
    format!("{before}{name}={text}{after}")
}

/// The headers of a way: one line or several, blanks and empty elements here and there.
fn headers(way: &[Station], rng: &mut Rng) -> (Header, String) {
    let (header, name) =
        rng.pick(&[(Header::Forwarded, "Forwarded"), (Header::List, "X-Forwarded-For")]);
    let mut text = String::new();
    let mut is_begun = false;
    for station in way {
        if is_begun && rng.one_in(4) {
            text += "\r\n";
            is_begun = false;
        }
        text += &if is_begun {
            rng.pick(&[",", ", ", " ,\t", ",,", ", , "]).to_owned()
        } else {
            format!("{name}: ")
        };
        is_begun = true;
        text += &element(*station, header, rng);
    }
    (header, text + if is_begun { "\r\n" } else { "" })
}

#[test]
fn any_way_is_read_as_the_model_reads_it() {
    let mut rng = Rng::new(0x1f0d);
    let (mut strangers, mut hidden) = (0, 0);
    for _ in 0..20_000 {
        let way: Vec<Station> = (0..rng.index(6))
            .map(|_| match rng.one_in(8) {
                true => Station::Hidden,
                false => Station::At(address(&mut rng)),
            })
            .collect();
        let peer = address(&mut rng);
        let (header, lines) = headers(&way, &mut rng);
        let wanted = model(&way, peer);
        let at = found(&header.read(), peer, lines.as_bytes());
        assert_eq!(at, wanted, "{peer}: {lines:?}");
        strangers += u32::from(wanted.is_some_and(|wanted| !proxies().has(wanted)));
        hidden += u32::from(way.iter().any(|station| matches!(station, Station::Hidden)));
    }
    assert!(strangers > 1_000 && hidden > 1_000, "{strangers} {hidden}");
}

/// What a client writes: pieces of every header that could name an address, and garbage.
fn garbage(rng: &mut Rng) -> String {
    const PIECES: [&str; 20] = [
        "for",
        "=",
        "\"",
        "\\",
        ",",
        ";",
        " ",
        "1.1.1.1",
        "10.0.0.7",
        "127.0.0.1",
        "[::2]",
        ":80",
        "unknown",
        "for=9.9.9.9",
        "for=10.0.0.7",
        "é",
        "\t",
        "::1",
        "-",
        "%",
    ];
    (0..rng.index(12)).map(|_| rng.pick(&PIECES)).collect()
}

/// Whatever a client writes before what its proxy adds on a line or an element of its own: it is found at its own
/// address, or it is not known where it is.
#[test]
fn a_client_cannot_choose_where_it_is_found() {
    let mut rng = Rng::new(0xfa15e);
    let client: IpAddr = "198.51.100.9".parse().unwrap();
    let peer: IpAddr = "10.0.0.1".parse().unwrap();
    for _ in 0..20_000 {
        let garbage = garbage(&mut rng);
        let (name, own, header) = rng.pick(&[
            ("Forwarded", "for=198.51.100.9", Header::Forwarded),
            ("Forwarded", "for=\"198.51.100.9:81\";proto=\"http\"", Header::Forwarded),
            ("X-Forwarded-For", "198.51.100.9", Header::List),
        ]);
        let joint = if rng.one_in(2) { ", ".to_owned() } else { format!("\r\n{name}: ") };
        let lines = format!("{name}: {garbage}{joint}{own}\r\n");
        let at = found(&header.read(), peer, lines.as_bytes());
        assert!(at.is_none_or(|at| at == client), "{lines:?}: {at:?}");
        if header == Header::List || joint != ", " {
            assert_eq!(at, Some(client), "{lines:?}");
        }
    }
}

/// A client sends any headers it likes, through a proxy that adds its address to `X-Forwarded-For` as most do: to the
/// last line of it, or on a line of its own, and hands on all others.
#[test]
fn the_address_is_always_the_one_that_the_proxy_added() {
    const NAMES: [&str; 12] = [
        "X-Forwarded-For",
        "x-forwarded-for",
        "Forwarded",
        "X-Real-IP",
        "CF-Connecting-IP",
        "True-Client-IP",
        "X-Client-IP",
        "X-Cluster-Client-IP",
        "X-Forwarded",
        "X-Forwarded-Host",
        "Forwarded-For",
        "Via",
    ];
    let mut rng = Rng::new(0x42f0);
    let peer: IpAddr = "10.0.0.1".parse().unwrap();
    let mut lists = 0;
    for _ in 0..20_000 {
        // An address that is no proxy's: clients within the proxies' networks are the operator's own.
        let client = loop {
            let client = address(&mut rng);
            if !proxies().has(client) {
                break client;
            }
        };
        let mut sent: Vec<(&str, String)> =
            (0..rng.index(6)).map(|_| (rng.pick(&NAMES), garbage(&mut rng))).collect();
        let is_list = |(name, _): &(&str, String)| name.eq_ignore_ascii_case("x-forwarded-for");
        let added = written(client, &mut rng);
        match sent.iter().rposition(is_list) {
            Some(last) if rng.one_in(2) => sent[last].1 += &format!(", {added}"),
            _ => sent.push(("X-Forwarded-For", added)),
        }
        lists += u32::from(sent.iter().filter(|one| is_list(one)).count() > 1);
        // Others may stand before or after it.
        let other = (rng.pick(&NAMES[2..]), garbage(&mut rng));
        sent.insert(rng.index(sent.len() + 1), other);
        let lines: String =
            sent.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let at = found(&ProxyHeader::XForwardedFor, peer, lines.as_bytes());
        assert_eq!(at, Some(client), "{lines:?}");
    }
    assert!(lists > 1_000, "{lists}");
}
