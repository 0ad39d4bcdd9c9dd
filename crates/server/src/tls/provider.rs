//! The one place where cryptography is chosen.

use std::sync::{Arc, LazyLock};

use rustls::crypto::{CryptoProvider, aws_lc_rs};

/// What every handshake is made with. It is installed for the process as well, once, so that a library
/// that asks for the usual one finds the same.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    static PROVIDER: LazyLock<Arc<CryptoProvider>> = LazyLock::new(|| {
        // Somebody who embeds us may have been first, and has chosen for the libraries, not for us.
        drop(aws_lc_rs::default_provider().install_default());
        Arc::new(aws_lc_rs::default_provider())
    });
    Arc::clone(&PROVIDER)
}
