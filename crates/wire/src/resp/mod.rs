//! The Redis protocol as a state machine: bytes in, commands out, replies appended to a buffer.
