//! In tonic.

use ::tonic::{Code, transport::Channel};
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};

use super::{beside, listener, tonic_service};

// Proves: L2
#[tokio::test]
async fn the_example_answers_in_grpc() {
    let (listener, address) = listener().await;
    beside(tonic_service::serve(listener), async {
        let channel = Channel::from_shared(format!("http://{address}")).unwrap();
        let mut client = HealthClient::new(channel.connect().await.unwrap());
        for left in (0..5).rev() {
            let reply = client.check(HealthCheckRequest::default()).await.unwrap();
            let shown = reply.metadata().get("x-ratelimit-remaining").unwrap();
            assert_eq!(shown.to_str().unwrap(), left.to_string());
        }
        let denied = client.check(HealthCheckRequest::default()).await.unwrap_err();
        assert_eq!(denied.code(), Code::ResourceExhausted);
        assert!(denied.message().starts_with("too many requests, come back in "));
        let metadata = denied.metadata();
        let wait: u64 = metadata.get("retry-after").unwrap().to_str().unwrap().parse().unwrap();
        assert!((1..=2 * 3_600).contains(&wait));
        assert_eq!(metadata.get("x-ratelimit-limit").unwrap(), "5");
        assert!(metadata.get("grpc-retry-pushback-ms").is_some());
    })
    .await;
}
