//! What is wrong with a token.

/// Why a token is not believed. None of the words repeats what the token holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TokenFlaw {
    #[error(
        "tokens are not verified here: leave the token out, or start the server with --jwt-algorithms and a key"
    )]
    NotConfigured,
    #[error("the token has more than {max} bytes", max = super::Verifier::TOKEN_BYTES_MAX)]
    TooLarge,
    #[error("this is no JWT: expected three parts in base64url with dots between them")]
    Malformed,
    #[error("the token is not signed with an algorithm of jwt_algorithms")]
    Algorithm,
    #[error("the token names no key that is known here: its `kid` must be in the JWKS")]
    UnknownKey,
    #[error("the token's signature is wrong")]
    Signature,
    #[error("the token has expired")]
    Expired,
    #[error("the token is not valid yet")]
    NotYet,
    #[error("the token was issued by somebody else: its `iss` must be the jwt_issuer")]
    Issuer,
    #[error("the token is for somebody else: its `aud` must have the jwt_audience")]
    Audience,
    #[error(
        "the token's claims cannot be used: `exp` and `nbf` must be numbers, the claims of user, organisation and \
         tier texts, each at most once, and `exp` and the user's must be there"
    )]
    Claims,
}
