//! Files for the tests of the formatter.

mod file;

pub(crate) use file::file;
