//! How much a client may send.

/// The bytes of a request line and all headers together.
pub const HEAD_BYTES_MAX: usize = 16 * 1024;
/// The headers of one request.
pub const HEADERS_MAX: usize = 64;
/// The bytes of what is asked for: path and query.
pub const TARGET_BYTES_MAX: usize = 8 * 1024;
/// The bytes of a request line beside its target: a method, two blanks, the version.
pub(super) const LINE_REST_BYTES_MAX: usize = 64;
/// Empty lines that are overlooked before a request: some clients send one after a body.
pub(super) const BLANK_LINES_MAX: u8 = 4;
/// The digits of a chunk's size.
pub(super) const CHUNK_DIGITS_MAX: u8 = 16;
/// The extensions of all chunks of a body together. They are ignored.
pub(super) const EXTENSION_BYTES_MAX: usize = 4 * 1024;
/// The trailers of a body. They are dropped.
pub(super) const TRAILER_BYTES_MAX: usize = 4 * 1024;
/// What is kept of the buffers of a large request, for the next one.
pub(super) const KEPT_BYTES_MAX: usize = 64 * 1024;

/// How much a client may send, as far as an operator has a say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of a body.
    pub body_bytes_max: usize,
    /// The bytes of a body at one of the short paths, if that is less.
    pub short_bytes_max: usize,
    /// The paths where bodies are short.
    pub short_paths: &'static [&'static str],
}

impl Limits {
    /// The bytes of a body at this path.
    pub(super) fn at(&self, path: &str) -> usize {
        match self.short_paths.contains(&path) {
            true => self.body_bytes_max.min(self.short_bytes_max),
            false => self.body_bytes_max,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes_max: 1 << 20,
            short_bytes_max: 1 << 16,
            short_paths: &[],
        }
    }
}
