//! Around a client.

use super::{axum_service, beside, hyper_client, listener};

// Proves: L2
#[tokio::test]
async fn the_example_holds_itself_back_for_every_host() {
    let (one, first) = listener().await;
    let (two, second) = listener().await;
    beside(axum_service::serve(one), async {
        beside(axum_service::serve(two), async {
            let url = |address| format!("http://{address}/search");
            let urls = [url(first), url(first), url(first), url(first), url(second)];
            let statuses = hyper_client::get(&urls).await.unwrap();
            assert_eq!(statuses, [200, 200, 200, 429, 200]);
        })
        .await;
    })
    .await;
}
