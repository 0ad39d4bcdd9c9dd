//! The Redis protocol, versions 2 and 3: requests in, replies out.

mod command;
mod decode;
mod encode;
mod reply;

pub use command::Command;
pub use decode::{
    ARGS_MAX, BULK_BYTES_MAX, Decoded, Decoder, FRAME_BYTES_MAX, INLINE_BYTES_MAX, ProtocolError,
};
pub use encode::{Encoder, Version};
pub use reply::{NoReply, Reply, read_reply, write_command};
