//! The smallest client of HTTP that will do.

use std::{
    io::{BufRead as _, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
};

use serde_json::Value;

use super::server::LONG;

/// A connection that is kept.
pub(crate) struct Http {
    address: SocketAddr,
    stream: BufReader<Box<dyn Wire>>,
}

/// What carries the bytes.
pub(crate) trait Wire: Read + Write + Send {}

impl<T: Read + Write + Send> Wire for T {}

/// An answer.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Http {
    pub(crate) fn to(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self::over(address, Box::new(stream))
    }

    /// Over a connection that there is.
    pub(crate) fn over(address: SocketAddr, stream: Box<dyn Wire>) -> Self {
        Self { address, stream: BufReader::new(stream) }
    }

    /// The next answer, or what became of the connection.
    pub(crate) fn try_ask(
        &mut self,
        method: &str,
        path: &str,
        body: &str,
    ) -> std::io::Result<Reply> {
        let text = self.request(method, path, &[], body);
        self.stream.get_mut().write_all(text.as_bytes())?;
        self.read(method)
    }

    pub(crate) fn get(&mut self, path: &str) -> Reply {
        self.ask("GET", path, &[], "")
    }

    pub(crate) fn post(&mut self, path: &str, body: &Value) -> Reply {
        self.send("POST", path, &[], body)
    }

    /// A JSON body with more headers.
    pub(crate) fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &Value,
    ) -> Reply {
        let mut all = vec![("Content-Type", "application/json")];
        all.extend(headers);
        self.ask(method, path, &all, &body.to_string())
    }

    pub(crate) fn ask(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        self.write(method, path, headers, body);
        self.read(method).unwrap()
    }

    pub(crate) fn write(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) {
        let text = self.request(method, path, headers, body);
        self.write_bytes(text.as_bytes());
    }

    /// A request as it is, text or not.
    pub(crate) fn write_bytes(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).unwrap();
    }

    fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
        let mut text = format!("{method} {path} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            text += &format!("Host: {}\r\n", self.address);
        }
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        text + &format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    /// The next answer, to a request of this method.
    pub(crate) fn read(&mut self, method: &str) -> std::io::Result<Reply> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let status = line.split_whitespace().nth(1).and_then(|word| word.parse().ok());
        let Some(status) = status else {
            return Err(std::io::Error::other(format!("no status line: {line:?}")));
        };
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(": ") else {
                break;
            };
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let mut reply = Reply { status, headers, body: String::new() };
        let length = reply.header("content-length");
        let length: u64 = length.map_or(0, |length| length.parse().unwrap());
        if method != "HEAD" {
            let mut body = Vec::new();
            self.stream.by_ref().take(length).read_to_end(&mut body)?;
            reply.body = String::from_utf8(body).unwrap();
        }
        Ok(reply)
    }
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find_map(|(known, value)| (known == name).then_some(value.as_str()))
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let json = serde_json::from_str(&self.body);
        json.unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    #[track_caller]
    pub(crate) fn with(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.body);
        self
    }
}
