//! Writing what was answered.

use std::{io, time::Duration};

use tokio::{io::AsyncWriteExt as _, time::timeout};

use super::Stream;

/// Writes it all, or gives up after `wait`. Mostly the socket has room and nothing is waited for.
pub(super) async fn write(stream: &mut Stream, bytes: &[u8], wait: Duration) -> io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match stream.try_write(rest) {
            Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                // Sealed bytes may lie in the session after they were written.
                let whole = async {
                    stream.write_all(rest).await?;
                    stream.flush().await
                };
                return match timeout(wait, whole).await {
                    Ok(written) => written,
                    Err(_) => Err(io::ErrorKind::TimedOut.into()),
                };
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
