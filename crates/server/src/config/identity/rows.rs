//! The settings of identity, for the table.

use crate::config::setting::{Setting, Takes};

/// Every setting of identity, in the order in which they are shown.
pub(in crate::config) const ROWS: &[Setting] = &[
    Setting::value(
        "api_keys",
        "auto|issued|any",
        "auto",
        "What api_key in a question is: a key that was issued here, or any text; auto: any text until the first key is issued",
    ),
    Setting::value(
        "api_key_header",
        "NAME",
        "X-API-Key",
        "The header in which clients of gateways show a key that was issued here",
    ),
    Setting::optional(
        "key_secret",
        "SECRET",
        "What API keys are hashed with, at least 32 characters; by the environment only; without it made up in the data folder, with SQLite only",
    ).taking(Takes::Secret),
    Setting::optional(
        "key_secret_file",
        "FILE",
        "A file with the secret that API keys are hashed with, instead of TOLLGATE_KEY_SECRET",
    ),
    Setting::optional(
        "jwt_algorithms",
        "NAMES",
        "The algorithms that tokens may be signed with, such as RS256,ES256; without it no token is accepted",
    ),
    Setting::optional(
        "jwt_secret",
        "SECRET",
        "What tokens of HS256, HS384 and HS512 are verified with, at least 32 characters; by the environment only",
    ).taking(Takes::Secret),
    Setting::optional(
        "jwt_secret_file",
        "FILE",
        "A file with the secret of HS256, HS384 and HS512 tokens, instead of TOLLGATE_JWT_SECRET; read again when it changes",
    ),
    Setting::optional(
        "jwt_key_file",
        "FILE",
        "The public key in PEM that tokens are verified with; read again when it changes",
    ),
    Setting::optional(
        "jwt_jwks_file",
        "FILE",
        "The public keys as a JWKS that tokens are verified with; read again when it changes",
    ),
    Setting::value(
        "jwt_user_claim",
        "NAME",
        "sub",
        "The claim of a token that is the user",
    ),
    Setting::value(
        "jwt_org_claim",
        "NAME",
        "org",
        "The claim of a token that is the organisation",
    ),
    Setting::value(
        "jwt_tier_claim",
        "NAME",
        "tier",
        "The claim of a token that is the tier",
    ),
    Setting::optional(
        "jwt_issuer",
        "TEXT",
        "Who must have issued a token: its claim iss",
    ),
    Setting::optional(
        "jwt_audience",
        "TEXT",
        "For whom a token must be: one of its claim aud",
    ),
    Setting::value(
        "jwt_leeway",
        "SPAN",
        "30s",
        "How far the clocks of whoever issues tokens may differ, up to 5min",
    ),
    Setting::value(
        "unknown_tier",
        "default|keep|refuse",
        "default",
        "What becomes of a request whose tier no rule, tier or API key names: it counts as the default tier, keeps its tier (no limits of a tier are about it), or is denied",
    ),
    Setting::value(
        "trusted_callers",
        "NETWORKS|all",
        "none",
        "The networks of callers that may state tier, user_id, org_id and ip without a token or a certificate; callers on this machine may, unless their requests came through a proxy",
    ),
    Setting::value(
        "proxy_protocol",
        "on|off",
        "off",
        "Whether trusted_proxies begin every connection for decisions with a header of the PROXY protocol, version 2",
    ),
];
