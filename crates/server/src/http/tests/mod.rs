//! The session without a socket.
