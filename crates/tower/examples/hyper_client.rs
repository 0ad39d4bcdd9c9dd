//! A client that limits itself: three requests an hour to every host, so that none of them has to turn it away.
//! A fourth is answered with 429 here, and never leaves. (A leaky bucket would hold it back until it may go.)
//!
//! `cargo run --package tollgate-tower --example hyper_client -- http://127.0.0.1:3000/search`

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::Empty;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use tollgate_tower::{TollgateLayer, key_fn};
use tower::{Layer as _, Service as _, ServiceExt as _};

pub(crate) async fn get(urls: &[String]) -> Result<Vec<StatusCode>, Box<dyn std::error::Error>> {
    let host = key_fn(|head| Some(head.uri.authority()?.as_str().into()));
    let limits = TollgateLayer::embedded("3/h")?.key(host);
    let mut client = limits.layer(Client::builder(TokioExecutor::new()).build_http());
    let mut statuses = Vec::new();
    for url in urls {
        let request = Request::get(url).body(Empty::<Bytes>::new())?;
        let response = client.ready().await?.call(request).await?;
        statuses.push(response.status());
    }
    Ok(statuses)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("which address?")?;
    for status in get(&vec![url; 4]).await? {
        writeln(&format!("{status}"))?;
    }
    Ok(())
}

fn writeln(line: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    writeln!(std::io::stdout(), "{line}")
}
