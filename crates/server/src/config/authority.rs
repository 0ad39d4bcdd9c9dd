//! What people may do on the admin side, as far as it can be set.

use std::time::Duration;

use tollgate_rules::Factor;

use super::{
    build::Reader,
    parse::{Expected, long_span},
    setting::Setting,
};

/// What people may do on the admin side, as far as it can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdminRules {
    /// Whether a token is asked for on this machine, too.
    pub auth: AdminAuth,
    /// Whether a change of rules waits for somebody else.
    pub approvals: Approvals,
    /// How far operators and automation may raise a limit for a while.
    pub overrides: OverrideBounds,
}

/// Whether the admin side asks for a token on this machine, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AdminAuth {
    /// Only where others can reach it, or where the server was started with one.
    #[default]
    Auto,
    /// Everywhere.
    Required,
}

/// Whether a change of rules waits for somebody else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Approvals {
    /// It does not.
    #[default]
    Off,
    /// Another admin approves it first.
    On,
}

/// How far somebody who may make exceptions only for a while may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverrideBounds {
    /// So many times the rule's limit.
    pub factor_max: Factor,
    /// For so long from now.
    pub span_max: Duration,
}

/// Every setting of authority, in the order in which they are shown.
pub(super) const ROWS: &[Setting] = &[
    Setting::value(
        "admin_auth",
        "auto|required",
        "auto",
        "Whether the admin side asks for a token on this machine, too; required does, and may be reached by others without token or admin_tls_client_ca",
    ),
    Setting::value(
        "approvals",
        "on|off",
        "off",
        "Whether a change of rules or tiers waits until another admin approves it; needs admin_auth = required",
    ),
    Setting::value(
        "override_factor_max",
        "FACTOR",
        "10x",
        "How many times a rule's limit operators and automation may grant",
    ),
    Setting::value(
        "override_span_max",
        "SPAN",
        "7day",
        "For how long operators and automation may grant it",
    ),
];

pub(super) fn read(reader: &mut Reader) -> Option<AdminRules> {
    let auth = reader.value("admin_auth", auth);
    let approvals = reader.value("approvals", approvals);
    let factor_max = reader.value("override_factor_max", factor);
    let span_max = reader.value("override_span_max", long_span);
    Some(AdminRules {
        auth: auth?,
        approvals: approvals?,
        overrides: OverrideBounds { factor_max: factor_max?, span_max: span_max? },
    })
}

fn auth(text: &str) -> Result<AdminAuth, Expected> {
    match text {
        "auto" => Ok(AdminAuth::Auto),
        "required" => Ok(AdminAuth::Required),
        _ => Err("expected auto or required".to_owned()),
    }
}

fn approvals(text: &str) -> Result<Approvals, Expected> {
    match text {
        "off" => Ok(Approvals::Off),
        "on" => Ok(Approvals::On),
        _ => Err("expected on or off".to_owned()),
    }
}

fn factor(text: &str) -> Result<Factor, Expected> {
    let factor = text.parse::<Factor>();
    factor.map_err(|_| "expected a factor such as 10x or 1.5x".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_says_what_is_expected() {
        assert_eq!(auth("required"), Ok(AdminAuth::Required));
        assert!(auth("yes").unwrap_err().contains("auto or required"));
        assert_eq!(approvals("on"), Ok(Approvals::On));
        assert!(approvals("true").unwrap_err().contains("on or off"));
        assert_eq!(factor("2.5x").unwrap().of(10), 25);
        assert!(factor("10").unwrap_err().contains("10x"));
        let day = Duration::from_secs(86_400);
        assert_eq!(long_span("7day"), Ok(day * 7));
        assert_eq!(long_span("12h"), Ok(day / 2));
        for wrong in ["", "0day", "7 days", "400day", "-1h", "7"] {
            assert!(long_span(wrong).is_err(), "{wrong:?}");
        }
    }
}
