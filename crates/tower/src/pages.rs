//! The pages of the manual, so that `cargo test` runs every piece of Rust in them.

macro_rules! pages {
    ($($name:ident = $path:literal)*) => {$(
        #[doc = include_str!(concat!("../../../", $path))]
        struct $name;
    )*};
}

pages! {
    LimitInAxumTonicHyper = "docs/how-to/limit-in-axum-tonic-hyper.md"
}
