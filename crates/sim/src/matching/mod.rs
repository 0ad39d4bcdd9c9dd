//! The evaluation of rules, slow and obviously right: every rule is looked at, one after the other.
//!
//! Written from the specification, not from the compiled snapshot: no index, no order that was
//! prepared, no bytes. [`evaluate`] says what should become of a request, in words that can be read;
//! [`random`] makes rule sets and requests that meet often.
//!
//! ```
//! use tollgate_core::Timestamp;
//! use tollgate_rules::{Field, Key, Query, Rule, RuleSet};
//! use tollgate_sim::matching::{Beside, Expected, evaluate};
//!
//! let login = Rule::throttle("login".parse()?, Key::new([Field::User.into()])?, "5/min".parse()?);
//! let mut rules = RuleSet::default();
//! rules.rules.insert(login.name.clone(), login.into());
//! let alice = Query::new().user("alice")?;
//! let expected = evaluate(&rules, Beside::default(), &alice, Timestamp::EPOCH);
//! let Expected::Charged { charges, .. } = expected else { panic!("{expected:?}") };
//! assert_eq!(charges[0].to_string(), "login by user=alice: 5/min sliding_window warn 80% hard 100%, cost 1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod conditions;
mod describe;
mod evaluate;
mod exceptions;
mod expected;
mod keys;
mod order;
pub mod random;

pub use describe::describe;
pub use evaluate::{Beside, evaluate};
pub use expected::{Expectation, Expected, ReadableKey, Reason, limit_text};
