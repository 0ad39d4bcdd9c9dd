//! The pages of the manual, so that `cargo test` runs every piece of Rust in them.

macro_rules! pages {
    ($($name:ident = $path:literal)*) => {$(
        #[doc = include_str!(concat!("../../../", $path))]
        struct $name;
    )*};
}

pages! {
    UseTheClient = "docs/how-to/use-the-client.md"
    Client = "docs/reference/client.md"
}
