//! Headers of the PROXY protocol, sound and not.
// Proves: I1

use tollgate_wire::proxy::{Header, HeaderFlaw, Opening, SIGNATURE};

fn header(version: u8, family: u8, rest: &[u8]) -> Result<Header, HeaderFlaw> {
    let mut bytes = SIGNATURE.to_vec();
    bytes.extend_from_slice(&[version, family]);
    let length = u16::try_from(rest.len()).unwrap();
    bytes.extend_from_slice(&length.to_be_bytes());
    let opening = Opening::read(&bytes.try_into().unwrap())?;
    assert_eq!(opening.rest, rest.len());
    opening.header(rest)
}

const V4: &[u8] = &[192, 0, 2, 1, 192, 0, 2, 2, 0x9c, 0x40, 0x1b, 0x9e];

#[test]
fn a_client_is_named_by_either_family_and_the_rest_is_stepped_over() {
    let told = Header::For("192.0.2.1:40000".parse().unwrap());
    assert_eq!(header(0x21, 0x11, V4), Ok(told));
    let with_more = [V4, &[0x03, 0, 4, 1, 2, 3, 4]].concat();
    assert_eq!(header(0x21, 0x11, &with_more), Ok(told));
    let mut six = [0; 36];
    six[..16].copy_from_slice(&"2001:db8::7".parse::<std::net::Ipv6Addr>().unwrap().octets());
    six[32..34].copy_from_slice(&443_u16.to_be_bytes());
    let told = Header::For("[2001:db8::7]:443".parse().unwrap());
    assert_eq!(header(0x21, 0x21, &six), Ok(told));
}

#[test]
fn a_proxy_may_speak_for_itself() {
    assert_eq!(header(0x20, 0x00, &[]), Ok(Header::Local));
    assert_eq!(header(0x20, 0x11, V4), Ok(Header::Local));
    assert_eq!(header(0x20, 0x31, &[0; 216]), Ok(Header::Local));
    assert_eq!(header(0x21, 0x00, &[]), Ok(Header::Local));
}

#[test]
fn whatever_else_is_refused() {
    for (version, family, flaw) in [
        (0x11, 0x11, HeaderFlaw::Version),
        (0x22, 0x11, HeaderFlaw::Version),
        (0x21, 0x12, HeaderFlaw::Family),
        (0x21, 0x31, HeaderFlaw::Family),
        (0x21, 0xff, HeaderFlaw::Family),
    ] {
        assert_eq!(header(version, family, V4), Err(flaw), "{version:x} {family:x}");
    }
    for cut in 0..V4.len() {
        assert_eq!(header(0x21, 0x11, &V4[..cut]), Err(HeaderFlaw::Short));
        assert_eq!(header(0x21, 0x21, &V4[..cut]), Err(HeaderFlaw::Short));
    }
    assert_eq!(header(0x21, 0x11, &[0; 5_000]), Err(HeaderFlaw::TooLong(5_000)));
    for other in [*b"GET / HTTP/1.1\r\n", *b"PRI * HTTP/2.0\r\n", [0; 16]] {
        assert_eq!(Opening::read(&other), Err(HeaderFlaw::Absent));
    }
    let mut bent = *SIGNATURE;
    for place in 0..bent.len() {
        bent[place] ^= 1;
        let mut bytes = [0; 16];
        bytes[..12].copy_from_slice(&bent);
        assert_eq!(Opening::read(&bytes), Err(HeaderFlaw::Absent), "{place}");
        bent[place] ^= 1;
    }
}
