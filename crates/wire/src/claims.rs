//! The claims of a JSON Web Token.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, Visitor},
};
use serde_json::Value;

/// All claims. One that is there twice is an error: whoever signed and whoever reads could each mean
/// another.
///
/// ```
/// use tollgate_wire::claims::Claims;
///
/// let claims: Claims = serde_json::from_str(r#"{"sub":"ann","admin":true}"#)?;
/// assert_eq!(claims.get("sub").and_then(|sub| sub.as_str()), Some("ann"));
/// assert!(serde_json::from_str::<Claims>(r#"{"sub":"ann","sub":"eve"}"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug)]
pub struct Claims(BTreeMap<String, Value>);

impl Claims {
    /// The claim of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }
}

impl<'de> Deserialize<'de> for Claims {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EachOnce)
    }
}

struct EachOnce;

impl<'de> Visitor<'de> for EachOnce {
    type Value = Claims;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of claims")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Claims, A::Error> {
        let mut claims = BTreeMap::new();
        while let Some((name, value)) = map.next_entry::<String, Value>()? {
            if claims.insert(name, value).is_some() {
                return Err(A::Error::custom("a claim is there twice"));
            }
        }
        Ok(Claims(claims))
    }
}
