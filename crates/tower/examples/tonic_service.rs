//! A tonic service: five calls an hour for every address. Whoever asks more often gets `RESOURCE_EXHAUSTED`.
//!
//! `cargo run --package tollgate-tower --features tonic --example tonic_service`

use tokio::net::TcpListener;
use tollgate_tower::TollgateLayer;
use tonic::transport::{Server, server::TcpIncoming};

pub(crate) async fn serve(listener: TcpListener) -> Result<(), Box<dyn std::error::Error>> {
    let (_reporter, health) = tonic_health::server::health_reporter();
    Server::builder()
        .layer(TollgateLayer::embedded("5/h")?)
        .add_service(health)
        .serve_with_incoming(TcpIncoming::from(listener))
        .await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    serve(TcpListener::bind("127.0.0.1:50051").await?).await
}
