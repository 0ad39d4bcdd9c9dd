//! What a client is called.

use rcgen::{CertificateParams, DnType, SanType};
use rustls::pki_types::CertificateDer;
use tollgate_testkit::certificates::{A_YEAR, Authority};

use super::super::material::{About, NAME_CHARS_MAX, Shown};

fn name(sans: &[SanType], common: Option<&str>) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut params = CertificateParams::default();
    params.subject_alt_names = sans.to_vec();
    params.distinguished_name = rcgen::DistinguishedName::new();
    if let Some(common) = common {
        params.distinguished_name.push(DnType::CommonName, common);
    }
    let signed = Authority::new("names").client_of(folder.path(), "client", params, A_YEAR);
    let shown = Shown::of(&CertificateDer::from(signed.der)).unwrap();
    shown.name.replace(&signed.serial, "SERIAL")
}

fn dns(name: &str) -> SanType {
    SanType::DnsName(name.try_into().unwrap())
}

fn uri(name: &str) -> SanType {
    SanType::URI(name.try_into().unwrap())
}

// Proves: S7
#[test]
fn a_client_is_called_by_the_first_name_that_will_do() {
    let spiffe = "spiffe://example.org/billing";
    assert_eq!(name(&[uri(spiffe), dns("a.example"), dns("b.example")], Some("c")), "a.example");
    assert_eq!(name(&[uri(spiffe)], Some("c")), spiffe);
    assert_eq!(name(&[], Some("billing service")), "cn:billing service");
    assert_eq!(name(&[], Some("a.example")), "cn:a.example");
    assert_eq!(name(&[], Some("serial:1000")), "cn:serial:1000");
    assert_eq!(name(&[], None), "serial:SERIAL");
}

// Proves: S7
#[test]
fn a_name_that_could_be_taken_for_another_is_none() {
    let long = "x".repeat(NAME_CHARS_MAX - "cn:".len() + 1);
    for odd in ["", " ", "a\nb", "a\u{1b}[2J", " alice", long.as_str()] {
        assert_eq!(name(&[], Some(odd)), "serial:SERIAL", "{odd:?}");
    }
    let longest = "x".repeat(NAME_CHARS_MAX - "cn:".len());
    assert_eq!(name(&[], Some(&longest)), format!("cn:{longest}"));
}

#[test]
fn a_chain_ends_with_the_first_of_it_that_does() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new("chains");
    let day = std::time::Duration::from_secs(24 * 60 * 60);
    let holds = tollgate_testkit::certificates::Holds::For;
    let own = authority.server(folder.path(), "own", holds(9 * day));
    let signer = authority.server(folder.path(), "signer", holds(3 * day));
    let about = |chain: &[&Vec<u8>]| {
        let chain: Vec<_> = chain.iter().map(|der| CertificateDer::from(der.as_slice())).collect();
        About::of(&chain).unwrap()
    };
    let (alone, both) = (about(&[&own.der]), about(&[&own.der, &signer.der]));
    assert_eq!(both.serial, own.serial);
    assert_eq!(both.hosts, ["own", "localhost", "127.0.0.1"]);
    let sooner_s = alone.expires_s - both.expires_s;
    let six_days_s = 6 * day.as_secs();
    assert!((six_days_s - 60..six_days_s + 60).contains(&sooner_s), "{sooner_s}");
    assert!(!alone.is_rooted);
}
