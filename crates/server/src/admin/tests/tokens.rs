//! Tokens for the tests of others.

use tollgate_catalog::{Author, EntryAt, EntryBody, Issuer, Lineage, TokenBody};
use tollgate_core::Timestamp;

use super::house::{House, SOON};
use crate::{
    authority::Role,
    identity::secret::{Kind, Secret, token_digest},
};

impl House {
    /// A token of each role, in order; its name is the role's.
    pub(super) async fn token_of_each(&self, roles: &[Role]) -> Vec<String> {
        let mut tokens = Vec::new();
        for role in roles {
            tokens.push(self.token(role.word(), *role).await);
        }
        tokens
    }

    /// A token of somebody.
    pub(super) async fn token(&self, name: &str, role: Role) -> String {
        self.issued(name, role, None, None).await
    }

    /// A token of an admin that has ended.
    pub(super) async fn expired_token(&self) -> String {
        let past = Some(Timestamp::from_secs(1));
        self.issued("late", Role::Admin, past, None).await
    }

    /// A token of an admin that was revoked.
    pub(super) async fn revoked_token(&self) -> String {
        let past = Some(Timestamp::from_secs(1));
        self.issued("gone", Role::Admin, None, past).await
    }

    async fn issued(
        &self,
        name: &str,
        role: Role,
        expires_at: Option<Timestamp>,
        revoked_at: Option<Timestamp>,
    ) -> String {
        let secret = Secret::generate(Kind::Token);
        let body = TokenBody {
            name: name.into(),
            hint: secret.hint().into(),
            digest: token_digest(secret.as_str()),
            role: role.word().into(),
            scopes: None,
            issuers: Some(Lineage::root(Issuer::Start)),
            expires_at,
            revoked_at,
        };
        self.stored(body, "test").await;
        secret.as_str().to_owned()
    }

    /// A token of an admin as the catalog has it: who issued it, and which line that is, if it is on record.
    pub(super) async fn token_by(&self, name: &str, by: &str, issuers: Option<Lineage>) -> String {
        let secret = Secret::generate(Kind::Token);
        let body = TokenBody {
            name: name.into(),
            hint: secret.hint().into(),
            digest: token_digest(secret.as_str()),
            role: Role::Admin.word().into(),
            scopes: None,
            issuers,
            expires_at: None,
            revoked_at: None,
        };
        self.stored(body, by).await;
        secret.as_str().to_owned()
    }

    async fn stored(&self, body: TokenBody, by: &str) {
        let author = Author::new(by);
        let written =
            self.catalog.put_entry(EntryAt::New, EntryBody::Token(body), &author).await.unwrap();
        // It opens once the node has followed.
        let mut status = self.status.clone();
        let followed = status.wait_for(|status| status.override_seq >= written.seq);
        let followed = tokio::time::timeout(SOON, followed).await;
        drop(followed.unwrap().unwrap());
    }
}
