//! A network that fails on command: a TCP proxy inside the test, on threads of its own.
//!
//! ```
//! use std::{io::{Read, Write}, net::{TcpListener, TcpStream}};
//! use tollgate_testkit::proxy::Proxy;
//!
//! let server = TcpListener::bind("127.0.0.1:0")?;
//! let proxy = Proxy::to(server.local_addr()?);
//! let mut client = TcpStream::connect(proxy.addr())?;
//! let (mut served, _) = server.accept()?;
//!
//! proxy.drop_replies();
//! client.write_all(b"commit")?;
//! served.read_exact(&mut [0; 6])?; // the server does it,
//! served.write_all(b"done")?;
//! assert_eq!(client.read(&mut [0; 6])?, 0); // and the client will never know.
//! # Ok::<(), std::io::Error>(())
//! ```

mod fault_proxy;
mod gate;
mod link;

pub use fault_proxy::Proxy;
pub use gate::CONNECTIONS_MAX;
