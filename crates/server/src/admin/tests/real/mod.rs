//! On a real PostgreSQL.

mod outages;
mod shared_cases;
mod two_people;
