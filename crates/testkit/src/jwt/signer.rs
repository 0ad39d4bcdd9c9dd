//! Who signs tokens.

use std::fmt;

use aws_lc_rs::{
    encoding::{AsDer as _, PublicKeyX509Der},
    hmac,
    rand::SystemRandom,
    rsa::KeySize,
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
        RSA_PKCS1_SHA256, RsaKeyPair, RsaPublicKeyComponents,
    },
};
use serde_json::{Value, json};

use super::base64::{Padding, base64, base64url};

/// Somebody who signs tokens.
pub struct Signer {
    kind: Kind,
    /// What its key is called.
    pub kid: String,
}

enum Kind {
    Hs256(Vec<u8>),
    Rs256(Box<RsaKeyPair>),
    Es256(Box<EcdsaKeyPair>),
    EdDsa(Box<Ed25519KeyPair>),
}

impl Signer {
    /// By a secret.
    pub fn hs256(secret: &str) -> Self {
        Self::of(Kind::Hs256(secret.as_bytes().to_vec()), "hs")
    }

    /// By a new RSA key.
    pub fn rs256(kid: &str) -> Self {
        let key = RsaKeyPair::generate(KeySize::Rsa2048).unwrap();
        Self::of(Kind::Rs256(Box::new(key)), kid)
    }

    /// By a new key on P-256.
    pub fn es256(kid: &str) -> Self {
        let key = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
        Self::of(Kind::Es256(Box::new(key)), kid)
    }

    /// By a new Ed25519 key.
    pub fn eddsa(kid: &str) -> Self {
        let key = Ed25519KeyPair::generate().unwrap();
        Self::of(Kind::EdDsa(Box::new(key)), kid)
    }

    fn of(kind: Kind, kid: &str) -> Self {
        let kid = kid.to_owned();
        Self { kind, kid }
    }

    /// As tokens name its algorithm.
    pub const fn algorithm(&self) -> &'static str {
        match self.kind {
            Kind::Hs256(_) => "HS256",
            Kind::Rs256(_) => "RS256",
            Kind::Es256(_) => "ES256",
            Kind::EdDsa(_) => "EdDSA",
        }
    }

    /// A token of these claims, named by its key.
    pub fn token(&self, claims: &Value) -> String {
        let header = json!({ "typ": "JWT", "alg": self.algorithm(), "kid": self.kid });
        self.sign(&header.to_string(), &claims.to_string())
    }

    /// A token of any header and any claims, signed by its algorithm whatever the header says.
    pub fn sign(&self, header: &str, claims: &str) -> String {
        let message = format!("{}.{}", base64url(header.as_bytes()), base64url(claims.as_bytes()));
        let signature = self.signature(message.as_bytes());
        format!("{message}.{}", base64url(&signature))
    }

    fn signature(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match &self.kind {
            Kind::Hs256(secret) => {
                let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
                hmac::sign(&key, message).as_ref().to_vec()
            }
            Kind::Rs256(key) => {
                let mut signature = vec![0; key.public_modulus_len()];
                let signed = key.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature);
                signed.unwrap();
                signature
            }
            Kind::Es256(key) => key.sign(&random, message).unwrap().as_ref().to_vec(),
            Kind::EdDsa(key) => key.sign(message).as_ref().to_vec(),
        }
    }

    /// Its public key in PEM.
    ///
    /// # Panics
    ///
    /// If it signs by a secret.
    pub fn pem(&self) -> String {
        let der: PublicKeyX509Der<'_> = match &self.kind {
            Kind::Hs256(_) => panic!("a secret has no public key"),
            Kind::Rs256(key) => key.public_key().as_der().unwrap(),
            Kind::Es256(key) => key.public_key().as_der().unwrap(),
            Kind::EdDsa(key) => key.public_key().as_der().unwrap(),
        };
        let text = base64(der.as_ref(), b"+/", Padding::Full);
        let lines: Vec<&str> = (0..text.len())
            .step_by(64)
            .map(|from| &text[from..text.len().min(from + 64)])
            .collect();
        let lines = lines.join("\n");
        format!("-----BEGIN PUBLIC KEY-----\n{lines}\n-----END PUBLIC KEY-----\n")
    }

    /// Its public key as a member of a JWKS.
    ///
    /// # Panics
    ///
    /// If it signs by a secret.
    pub fn jwk(&self) -> Value {
        let mut jwk = match &self.kind {
            Kind::Hs256(_) => panic!("a secret has no public key"),
            Kind::Rs256(key) => {
                let parts = RsaPublicKeyComponents::<Vec<u8>>::from(key.public_key());
                json!({ "kty": "RSA", "n": base64url(&parts.n), "e": base64url(&parts.e) })
            }
            Kind::Es256(key) => {
                let point = key.public_key().as_ref();
                let (x, y) = (base64url(&point[1..33]), base64url(&point[33..]));
                json!({ "kty": "EC", "crv": "P-256", "x": x, "y": y })
            }
            Kind::EdDsa(key) => {
                json!({ "kty": "OKP", "crv": "Ed25519", "x": base64url(key.public_key().as_ref()) })
            }
        };
        jwk["kid"] = json!(self.kid);
        jwk["alg"] = json!(self.algorithm());
        jwk["use"] = json!("sig");
        jwk
    }
}

/// Keys are never shown.
impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signer({}, {})", self.algorithm(), self.kid)
    }
}

/// The public keys of these, as a JWKS.
pub fn jwks(signers: &[&Signer]) -> String {
    let keys: Vec<Value> = signers.iter().map(|signer| signer.jwk()).collect();
    json!({ "keys": keys }).to_string()
}
