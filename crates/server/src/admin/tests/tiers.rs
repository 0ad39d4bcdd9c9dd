//! Tiers.

use serde_json::json;

use super::house::{House, ask};

#[tokio::test]
async fn a_tier_lives_from_its_creation_to_its_removal() {
    let house = House::sqlite().await;
    let list = house.get("/ratelimit/tiers").await.expect(200);
    assert_eq!(list["default_tier"], "free");
    assert_eq!(list["tiers"].as_array().unwrap().len(), 4);
    let free = house.get("/ratelimit/tiers/free").await;
    assert_eq!((free.expect(200)["rank"].clone(), free.header("etag")), (json!(1), "\"0\""));

    let gold = "/ratelimit/tiers/gold";
    let body = json!({ "rank": 3, "default": "3/day" });
    house.send(ask("PUT", gold, &[], Some(&body))).await.expect(428);
    house.put(gold, "*", &body).await.expect(404);
    let new = || ask("PUT", gold, &[("if-none-match", "*")], Some(&body));
    let made = house.send(new()).await;
    assert_eq!(made.expect(201)["revision"], 1);
    assert_eq!(made.header("location"), gold);
    let again = house.send(new()).await.expect(200);
    assert_eq!(again["changed"], false, "the same once more is no conflict");
    let other = ask("PUT", gold, &[("if-none-match", "*")], Some(&json!({ "rank": 4 })));
    house.send(other).await.expect(409);

    let seen = house.get(gold).await;
    let same = house.put(gold, seen.header("etag"), &seen.json()).await.expect(200);
    assert_eq!((&same["revision"], &same["changed"]), (&json!(1), &json!(false)));
    house.put(gold, "\"1\"", &json!({ "name": "silver", "rank": 3 })).await.expect(422);
    house.put(gold, "\"1\"", &json!({ "rank": -3 })).await.expect(422);
    house.put(gold, "\"1\"", &json!({ "rank": 5 })).await.expect(200);
    let late = house.put(gold, "\"1\"", &json!({ "rank": 6 })).await.expect(412);
    assert_eq!(late["difference"][0]["object"], "tier");
}

#[tokio::test]
async fn a_tier_that_is_named_stays() {
    let house = House::sqlite().await;
    let gold = "/ratelimit/tiers/gold";
    let new = ask("PUT", gold, &[("if-none-match", "*")], Some(&json!({ "rank": 3 })));
    house.send(new).await.expect(201);
    let rule = json!({ "name": "a", "match": { "tier": "gold" }, "action": "allow" });
    house.post("/ratelimit/rules", &rule).await.expect(201);
    let named = house.delete(gold, "*").await.expect(422);
    assert!(named["errors"][0]["message"].as_str().unwrap().contains("gold"), "{named}");
    house.delete("/ratelimit/rules/a", "*").await.expect(200);
    house.delete(gold, "*").await.expect(200);
    house.get(gold).await.expect(404);
    house.get("/ratelimit/tiers/no%20name").await.expect(404);
}
