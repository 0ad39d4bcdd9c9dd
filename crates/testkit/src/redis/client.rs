//! The smallest client that will do: one command after the other over a blocking socket.

use std::{
    fmt,
    io::{self, BufRead as _, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
};

use super::watcher::SHORT;
use crate::tls;

/// No test reads more at once.
const REPLY_BYTES_MAX: usize = 64 << 20;

/// What a server answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// A word, or bytes of any kind.
    Text(Vec<u8>),
    /// A number.
    Number(i64),
    /// Nothing.
    Nil,
    /// Several answers.
    List(Vec<Self>),
    /// A refusal, with its code first.
    Error(String),
}

/// A connection of a test to a server.
pub struct Connection {
    stream: BufReader<Box<dyn Stream>>,
}

trait Stream: Read + Write + Send {}
impl<T: Read + Write + Send> Stream for T {}

impl Connection {
    /// A connection in the clear.
    ///
    /// # Errors
    ///
    /// If nobody listens.
    pub fn open(addr: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&addr, SHORT)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(SHORT))?;
        stream.set_write_timeout(Some(SHORT))?;
        Ok(Self::over(Box::new(stream)))
    }

    pub(super) fn sealed(addr: SocketAddr, client: &tls::Client) -> io::Result<Self> {
        Ok(Self::over(Box::new(client.connect(addr)?)))
    }

    fn over(stream: Box<dyn Stream>) -> Self {
        Self { stream: BufReader::new(stream) }
    }

    /// Sends a command and waits for its reply.
    ///
    /// # Errors
    ///
    /// If the connection ends or says nothing for long. What the server has against the command is a reply.
    pub fn ask(&mut self, words: &[impl AsRef<[u8]>]) -> io::Result<Reply> {
        self.send(words)?;
        self.reply()
    }

    /// Sends a command and waits for nothing.
    ///
    /// # Errors
    ///
    /// If the connection has ended.
    pub fn send(&mut self, words: &[impl AsRef<[u8]>]) -> io::Result<()> {
        let mut bytes = format!("*{}\r\n", words.len()).into_bytes();
        for word in words.iter().map(AsRef::as_ref) {
            bytes.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
            bytes.extend_from_slice(word);
            bytes.extend_from_slice(b"\r\n");
        }
        self.stream.get_mut().write_all(&bytes)?;
        self.stream.get_mut().flush()
    }

    /// Waits for the next reply, as after `MONITOR` and `SUBSCRIBE` there are many.
    ///
    /// # Errors
    ///
    /// If the connection ends or says nothing for long.
    pub fn reply(&mut self) -> io::Result<Reply> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end_matches(['\r', '\n']);
        let (kind, rest) = line.split_at_checked(1).ok_or_else(|| odd(line))?;
        match kind {
            "+" => Ok(Reply::Text(rest.as_bytes().to_vec())),
            "-" => Ok(Reply::Error(rest.to_owned())),
            ":" => rest.parse().map(Reply::Number).map_err(|_| odd(line)),
            "$" | "*" if rest == "-1" => Ok(Reply::Nil),
            "$" => self.bytes(rest.parse().map_err(|_| odd(line))?),
            "*" => {
                let count: usize = rest.parse().map_err(|_| odd(line))?;
                let replies = (0..count).map(|_| self.reply());
                replies.collect::<io::Result<_>>().map(Reply::List)
            }
            _ => Err(odd(line)),
        }
    }

    fn bytes(&mut self, count: usize) -> io::Result<Reply> {
        if count > REPLY_BYTES_MAX {
            return Err(odd(&format!("a reply of {count} bytes")));
        }
        let mut bytes = vec![0; count + 2];
        self.stream.read_exact(&mut bytes)?;
        bytes.truncate(count);
        Ok(Reply::Text(bytes))
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Connection")
    }
}

impl Reply {
    /// The answers of a list; others are a list of themselves.
    pub fn list(self) -> Vec<Self> {
        match self {
            Self::List(replies) => replies,
            other => vec![other],
        }
    }

    /// The bytes of a text; nothing of all others.
    pub fn bytes(self) -> Vec<u8> {
        match self {
            Self::Text(bytes) => bytes,
            _ => Vec::new(),
        }
    }
}

/// As `redis-cli` prints to a file: a line for each answer.
impl fmt::Display for Reply {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(bytes) => out.write_str(&String::from_utf8_lossy(bytes)),
            Self::Number(number) => write!(out, "{number}"),
            Self::Nil => Ok(()),
            Self::List(replies) => {
                let lines: Vec<String> = replies.iter().map(ToString::to_string).collect();
                out.write_str(&lines.join("\n"))
            }
            Self::Error(text) => write!(out, "(error) {text}"),
        }
    }
}

fn odd(line: &str) -> io::Error {
    io::Error::other(format!("not a reply: {line:?}"))
}
