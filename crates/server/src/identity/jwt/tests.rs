//! Tokens, sound and not.
