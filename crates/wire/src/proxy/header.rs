//! The header.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// What every header begins with, and nothing else that is spoken here.
pub const SIGNATURE: &[u8; 12] = b"\r\n\r\n\0\r\nQUIT\n";

/// The part of a header that has the same length always.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    command: Command,
    family: Family,
    /// The bytes that follow.
    pub rest: usize,
}

/// What a header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// The proxy speaks for itself: to see whether we are there, for one.
    Local,
    /// It speaks for a client at this address.
    For(SocketAddr),
}

/// Why bytes are no header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderFlaw {
    /// Something else comes first.
    #[error(
        "there is no header of the PROXY protocol, version 2: set `send-proxy-v2` in the proxy"
    )]
    Absent,
    /// Another version, or a command that is not known.
    #[error("the header of the PROXY protocol is of another version or has an unknown command")]
    Version,
    /// A family of addresses that is not spoken here.
    #[error("the header of the PROXY protocol has an address that is not one of TCP")]
    Family,
    /// More than any needs.
    #[error("the header of the PROXY protocol has {0} bytes, at most {max} are read", max = Opening::REST_BYTES_MAX)]
    TooLong(usize),
    /// Less than an address needs.
    #[error("the header of the PROXY protocol ends before its addresses do")]
    Short,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Command {
    Local,
    Proxy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Unknown,
    Tcp4,
    Tcp6,
}

impl Opening {
    /// The bytes of an opening.
    pub const BYTES: usize = 16;

    /// The most bytes that may follow: addresses, and what else proxies have to tell.
    pub const REST_BYTES_MAX: usize = 4_096;

    /// Reads an opening.
    ///
    /// ```
    /// use tollgate_wire::proxy::{Header, Opening};
    ///
    /// let opening = Opening::read(b"\r\n\r\n\0\r\nQUIT\n\x21\x11\x00\x0c")?;
    /// assert_eq!(opening.rest, 12);
    /// let header = opening.header(&[192, 0, 2, 1, 192, 0, 2, 2, 0x9c, 0x40, 0x1b, 0x9e])?;
    /// assert_eq!(header, Header::For("192.0.2.1:40000".parse().unwrap()));
    /// # Ok::<(), tollgate_wire::proxy::HeaderFlaw>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`HeaderFlaw`] says what is wrong.
    pub fn read(bytes: &[u8; Self::BYTES]) -> Result<Self, HeaderFlaw> {
        let Some([version, family, length @ ..]) = bytes.strip_prefix(SIGNATURE) else {
            return Err(HeaderFlaw::Absent);
        };
        let command = match *version {
            0x20 => Command::Local,
            0x21 => Command::Proxy,
            _ => return Err(HeaderFlaw::Version),
        };
        let family = match *family {
            0x11 => Family::Tcp4,
            0x21 => Family::Tcp6,
            0x00 => Family::Unknown,
            // Whoever speaks for itself may say anything.
            _ if command == Command::Local => Family::Unknown,
            _ => return Err(HeaderFlaw::Family),
        };
        let length = <[u8; 2]>::try_from(length).map_err(|_| HeaderFlaw::Short)?;
        let rest = usize::from(u16::from_be_bytes(length));
        if rest > Self::REST_BYTES_MAX {
            return Err(HeaderFlaw::TooLong(rest));
        }
        Ok(Self { command, family, rest })
    }

    /// Reads what follows it. What stands after the addresses is stepped over.
    ///
    /// # Errors
    ///
    /// [`HeaderFlaw::Short`].
    pub fn header(self, rest: &[u8]) -> Result<Header, HeaderFlaw> {
        if self.command == Command::Local {
            return Ok(Header::Local);
        }
        let (address, port) = match self.family {
            Family::Unknown => return Ok(Header::Local),
            Family::Tcp4 => {
                let (source, port) = ends::<4>(rest)?;
                (IpAddr::V4(Ipv4Addr::from(source)), port)
            }
            Family::Tcp6 => {
                let (source, port) = ends::<16>(rest)?;
                (IpAddr::V6(Ipv6Addr::from(source)), port)
            }
        };
        Ok(Header::For((address, port).into()))
    }
}

/// The address and the port of the source: source, destination, then both ports.
fn ends<const N: usize>(rest: &[u8]) -> Result<([u8; N], u16), HeaderFlaw> {
    let (source, rest) = rest.split_first_chunk::<N>().ok_or(HeaderFlaw::Short)?;
    let (_, rest) = rest.split_first_chunk::<N>().ok_or(HeaderFlaw::Short)?;
    let (port, rest) = rest.split_first_chunk::<2>().ok_or(HeaderFlaw::Short)?;
    let _: &[u8; 2] = rest.first_chunk().ok_or(HeaderFlaw::Short)?;
    Ok((*source, u16::from_be_bytes(*port)))
}
