//! The session without a socket: golden bytes, order, and every way to cut them.

mod talk;

mod batches;
mod buffers;
mod callers;
mod conversation;
mod decisions;
mod deeds;
mod gateways;
mod refusals;
mod repeats;
mod wording;

use talk::Talk;
