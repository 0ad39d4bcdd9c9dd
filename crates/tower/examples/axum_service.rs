//! An axum service: five searches an hour for every API key, and for every address that shows none.
//!
//! `cargo run --package tollgate-tower --example axum_service`, then `curl -i http://127.0.0.1:3000/search`

use std::net::SocketAddr;

use axum::{Extension, Router, routing::get};
use tokio::net::TcpListener;
use tollgate_tower::{Key as _, Outcome, TollgateLayer, header, peer_ip};

async fn search(Extension(outcome): Extension<Outcome>) -> String {
    let left = outcome.remaining().unwrap_or_default();
    format!("found, {left} searches left\n")
}

pub(crate) async fn serve(listener: TcpListener) -> Result<(), Box<dyn std::error::Error>> {
    let limits = TollgateLayer::embedded("5/h")?.key(header("x-api-key").or(peer_ip()));
    let app = Router::new().route("/search", get(search)).layer(limits);
    // Without this nobody knows who called.
    let app = app.into_make_service_with_connect_info::<SocketAddr>();
    Ok(axum::serve(listener, app).await?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    serve(TcpListener::bind("127.0.0.1:3000").await?).await
}
