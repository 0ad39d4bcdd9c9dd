//! The smallest client of the Redis protocol that will do.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
};

use super::server::LONG;

/// A connection that is kept.
pub(crate) struct Resp {
    stream: TcpStream,
}

impl Resp {
    pub(crate) fn to(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream }
    }

    /// The bytes of one command.
    pub(crate) fn command(words: &[&str]) -> String {
        let mut text = format!("*{}\r\n", words.len());
        for word in words {
            text += &format!("${}\r\n{word}\r\n", word.len());
        }
        text
    }

    /// Sends bytes as they are.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    /// The next lines of what is answered.
    pub(crate) fn lines(&mut self, count: usize) -> Vec<String> {
        let line = |_| {
            let mut line = Vec::new();
            while !line.ends_with(b"\r\n") {
                let mut byte = [0];
                self.stream.read_exact(&mut byte).unwrap();
                line.extend_from_slice(&byte);
            }
            String::from_utf8(line).unwrap().trim_end().to_owned()
        };
        (0..count).map(line).collect()
    }

    /// Asks, and gives the answer as it came. It is small, and comes as one.
    pub(crate) fn ask(&mut self, words: &[&str]) -> String {
        let command = Self::command(words);
        self.stream.write_all(command.as_bytes()).unwrap();
        let mut reply = vec![0; 16 * 1024];
        let read = self.stream.read(&mut reply).unwrap();
        String::from_utf8(reply[..read].to_vec()).unwrap()
    }
}
