//! One way to speak to both databases: the SQL is written once, in the words they share.
//!
//! Every value is a whole number or a text, every placeholder is `$1`. What the two do differently is in
//! their rooms, `sqlite` and `postgres`, under the same names.

mod database;
mod error;
mod insert;
mod row;
mod session;
mod value;
mod wanted;

pub(crate) use database::{Database, Outcome};
pub(crate) use error::error;
pub(crate) use insert::insert;
pub(crate) use row::Row;
pub(crate) use session::{Conn, Own, Session};
pub(crate) use value::{Value, values};
pub(crate) use wanted::Wanted;
