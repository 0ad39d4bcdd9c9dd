//! `tollgate snippet`

mod command;
mod gateway;
mod place;

pub(crate) use command::Snippet;
