//! What is generated is what the protocol says; with `TOLLGATE_GENERATE=1` it is written anew.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a generator in a test: what cannot go on may stop"
)]

use std::{env, fs, path::Path};

use prost::Message as _;
use prost_types::{FileDescriptorSet, field_descriptor_proto::Type};

const SERVICE: &str = "envoy/service/ratelimit/v3/rls.proto";

/// Texts that clients of Envoy can put any bytes into. As strings the whole question would be refused,
/// and Envoy lets pass what it gets no answer to.
const ANY_BYTES: [(&str, &str); 3] =
    [("RateLimitRequest", "domain"), ("Entry", "key"), ("Entry", "value")];

#[test]
fn the_generated_code_is_that_of_the_protocol() {
    let crate_ = Path::new(env!("CARGO_MANIFEST_DIR"));
    let committed = crate_.join("src/generated");
    let fresh = tempfile::tempdir().unwrap();
    generate(&crate_.join("proto"), fresh.path());
    if env::var_os("TOLLGATE_GENERATE").is_some() {
        fs::create_dir_all(&committed).unwrap();
        for file in fs::read_dir(fresh.path()).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), committed.join(file.file_name())).unwrap();
        }
    }
    let names = |folder: &Path| {
        let files = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&committed), names(fresh.path()));
    for name in names(&committed) {
        let (ours, theirs) = (committed.join(&name), fresh.path().join(&name));
        let is_current = fs::read(ours).unwrap() == fs::read(theirs).unwrap();
        assert!(is_current, "{name:?} is stale: TOLLGATE_GENERATE=1 cargo test -p tollgate-rls");
    }
}

fn generate(protocol: &Path, into: &Path) {
    let files = protox::compile([SERVICE], [protocol]).unwrap();
    let mut shown = files.clone();
    shown.file.iter_mut().for_each(|file| file.source_code_info = None);
    fs::write(into.join("descriptors.bin"), shown.encode_to_vec()).unwrap();
    tonic_prost_build::configure()
        .build_client(false)
        .build_transport(false)
        .bytes(".")
        .out_dir(into)
        .include_file("mod.rs")
        .compile_fds(with_any_bytes(files))
        .unwrap();
}

/// The same on the wire, for code that takes any bytes.
fn with_any_bytes(mut files: FileDescriptorSet) -> FileDescriptorSet {
    let mut changed = 0;
    for message in files.file.iter_mut().flat_map(|file| &mut file.message_type) {
        let nested = message.nested_type.iter_mut();
        let nested = nested.flat_map(|inner| {
            let name = inner.name().to_owned();
            inner.field.iter_mut().map(move |field| (name.clone(), field))
        });
        let name = message.name.clone().unwrap_or_default();
        let own = message.field.iter_mut().map(|field| (name.clone(), field));
        for (name, field) in own.chain(nested) {
            if ANY_BYTES.contains(&(name.as_str(), field.name())) {
                field.set_type(Type::Bytes);
                changed += 1;
            }
        }
    }
    assert_eq!(changed, ANY_BYTES.len());
    files
}
