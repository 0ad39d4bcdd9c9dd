//! Whose counters, and which server knows them.

use serde_json::Value;

use crate::{
    facts::{Fact, Facts},
    outcome::Failure,
    running::{self, Credentials, Verb},
};

/// The counters of a request, as a running server has them
#[derive(Debug, clap::Args)]
pub(super) struct Target {
    /// The facts of the request: user_id=alice endpoint=/api/v1/login method=POST
    #[arg(required_unless_present = "rule", value_name = "FIELD=VALUE")]
    facts: Vec<Fact>,
    /// Only the counters of this rule
    #[arg(long, value_name = "RULE")]
    rule: Option<String>,
    #[command(flatten)]
    server: Server,
}

/// A running server
#[derive(Debug, clap::Args)]
pub(super) struct Server {
    /// Where the running server has its admin side [default: 127.0.0.1:7080] [env: TOLLGATE_ADMIN]
    #[arg(long, value_name = "ADDRESS")]
    admin: Option<String>,
    #[command(flatten)]
    credentials: Credentials,
}

impl Server {
    /// Its status and its answer.
    pub(super) fn ask(&self, verb: Verb<'_>, path: &str) -> anyhow::Result<(u16, Value)> {
        let admin = running::admin(self.admin.as_ref());
        running::ask(verb, &admin, path, &self.credentials)
    }
}

impl Target {
    /// Asks the server about them.
    pub(super) fn ask(&self, verb: Verb<'_>) -> anyhow::Result<Value> {
        let facts = Facts::new(&self.facts)?;
        let rule = self.rule.as_deref().map(|rule| ("rule", rule));
        let pairs = facts.to_pairs()?.into_iter().chain(rule);
        let pairs: Vec<String> = pairs
            .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
            .collect();
        let path = format!("/ratelimit/keys?{}", pairs.join("&"));
        let (status, answer) = self.server.ask(verb, &path)?;
        match status {
            200 => Ok(answer),
            // The server says what; what to do is for whoever typed.
            404 if self.rule.is_some() => {
                let error = running::refusal(status, &answer);
                let words =
                    format!("{error}; `tollgate explain` shows which rules a request meets");
                Err(Failure::new(words).with("answer", answer).into())
            }
            _ => Err(running::refusal(status, &answer)),
        }
    }
}

/// A text as a query carries it.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded += &format!("%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_a_query_cannot_carry_is_encoded() {
        assert_eq!(
            super::encoded("/a b&c=ä+1%"),
            "%2Fa%20b%26c%3D%C3%A4%2B1%25"
        );
        assert_eq!(super::encoded("alice-1.x_y~"), "alice-1.x_y~");
    }
}
