//! Random ways, written in every way they can be, against the slowest and most obvious reading of them.
// Proves: I4

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use tollgate_testkit::Rng;

use super::{found, proxies};

/// Who handed a request on; the farthest is first.
#[derive(Clone, Copy, Debug)]
enum Station {
    At(IpAddr),
    Hidden,
}

/// The whole way with the peer at its end: cut off what comes before the last that cannot be read, then
/// before the last that is no proxy. What is first now is the client.
fn model(way: &[Station], peer: IpAddr) -> IpAddr {
    let mut way: Vec<Station> = way.to_vec();
    way.push(Station::At(peer));
    let hidden = |station: &Station| matches!(station, Station::Hidden);
    if let Some(last) = way.iter().rposition(hidden) {
        way.drain(..=last);
    }
    let addresses: Vec<IpAddr> = way
        .iter()
        .map(|station| match station {
            Station::At(address) => *address,
            Station::Hidden => unreachable!("cut off"),
        })
        .collect();
    let stranger = |address: &IpAddr| !proxies().has(*address);
    let first = addresses.iter().rposition(stranger).unwrap_or(0);
    addresses[first]
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

fn element(station: Station, header: Header, rng: &mut Rng) -> String {
    let text = match station {
        Station::At(address) => written(address, rng),
        Station::Hidden => rng.pick(&["unknown", "_gone", "-", "1.2.3"]).to_owned(),
    };
    if header == Header::List {
        return text;
    }
    let text = if text.contains(['[', ':']) || rng.one_in(2) {
        format!("\"{text}\"")
    } else {
        text
    };
    let name = rng.pick(&["for", "For", "FOR"]);
    let before = rng.pick(&["", "proto=http;", "host=\"a,b;c\\\"\"; ", ";"]);
    let after = rng.pick(&["", ";by=_x", " ; secret=\"\"", ";"]);
    format!("{before}{name}={text}{after}")
}

/// The headers of a way: one line or several, blanks and empty elements here and there.
fn headers(way: &[Station], rng: &mut Rng) -> String {
    let (header, name) = rng.pick(&[
        (Header::Forwarded, "Forwarded"),
        (Header::List, "X-Forwarded-For"),
    ]);
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
    text + if is_begun { "\r\n" } else { "" }
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
        let lines = headers(&way, &mut rng);
        let wanted = model(&way, peer);
        assert_eq!(found(peer, lines.as_bytes()), wanted, "{peer}: {lines:?}");
        strangers += u32::from(!proxies().has(wanted));
        hidden += u32::from(way.iter().any(|station| matches!(station, Station::Hidden)));
    }
    assert!(strangers > 1_000 && hidden > 1_000, "{strangers} {hidden}");
}

/// Whatever a client writes, be it garbage, before what its proxy adds on a line or an element of its own:
/// it is found at its own address, or at that of the proxy.
#[test]
fn a_client_cannot_choose_where_it_is_found() {
    let mut rng = Rng::new(0xfa15e);
    let client: IpAddr = "198.51.100.9".parse().unwrap();
    let peer: IpAddr = "10.0.0.1".parse().unwrap();
    let pieces = [
        "for",
        "=",
        "\"",
        "\\",
        ",",
        ";",
        " ",
        "1.1.1.1",
        "[::2]",
        ":80",
        "unknown",
        "for=9.9.9.9",
        "é",
        "\t",
    ];
    for _ in 0..20_000 {
        let garbage: String = (0..rng.index(12)).map(|_| rng.pick(&pieces)).collect();
        let (name, own) = rng.pick(&[
            ("Forwarded", "for=198.51.100.9"),
            ("Forwarded", "for=\"198.51.100.9:81\";proto=\"http\""),
            ("X-Forwarded-For", "198.51.100.9"),
        ]);
        let joint = if rng.one_in(2) {
            ", ".to_owned()
        } else {
            format!("\r\n{name}: ")
        };
        let lines = format!("{name}: {garbage}{joint}{own}\r\n");
        let at = found(peer, lines.as_bytes());
        assert!(at == client || at == peer, "{lines:?}: {at}");
        if name == "X-Forwarded-For" || joint != ", " {
            assert_eq!(at, client, "{lines:?}");
        }
    }
}

/// Nor by the header that its proxy does not write: whatever stands in that, it is found at its own address or at that
/// of the proxy.
#[test]
fn a_client_cannot_choose_by_the_other_header() {
    let mut rng = Rng::new(0x07e6);
    let client: IpAddr = "198.51.100.9".parse().unwrap();
    let peer: IpAddr = "10.0.0.1".parse().unwrap();
    let kinds = [
        (
            Header::Forwarded,
            "Forwarded",
            "X-Forwarded-For: 198.51.100.9",
        ),
        (
            Header::List,
            "X-Forwarded-For",
            "Forwarded: for=198.51.100.9",
        ),
    ];
    let mut shared = 0;
    for _ in 0..5_000 {
        let (header, name, own) = rng.pick(&kinds);
        let lie = Station::At(address(&mut rng));
        let lie = element(lie, header, &mut rng);
        let lines = format!("{name}: {lie}\r\n{own}\r\n");
        let at = found(peer, lines.as_bytes());
        assert!(at == client || at == peer, "{lines:?}: {at}");
        shared += u32::from(at == peer);
    }
    assert!(shared > 1_000, "{shared}");
}
