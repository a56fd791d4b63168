//! Addresses that roles listen on.

use crate::parameters::{name, parameter_error, set};
use datafusion::common::Result;
use std::net::{SocketAddr, ToSocketAddrs};

/// Who may reach a role.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Trust {
    /// Processes of this machine only.
    #[default]
    Loopback,
    /// Every host that reaches the address. Traffic is not encrypted, and without a token requests are not
    /// authenticated.
    Network,
}

/// Resolves `HOST:PORT` to a socket address.
///
/// # Errors
/// If it does not resolve, or if other machines can reach the address and `trust` is not `Trust::Network`.
pub fn listen_address(bind: &str, trust: Trust) -> Result<SocketAddr> {
    let mut addresses = bind.to_socket_addrs().map_err(|error| {
        let why = format!(": must be HOST:PORT, such as 127.0.0.1:50050 ({error})");
        parameter_error![set("bind", bind), why]
    })?;
    let Some(address) = addresses.next() else {
        return Err(parameter_error![set("bind", bind), ": the host has no address"].into());
    };
    if !address.ip().is_loopback() && trust == Trust::Loopback {
        return Err(parameter_error![
            set("bind", bind),
            ": any host that reaches this address can read and write what this process can, and traffic is not encrypted; ",
            name("trust_network"),
            " allows it"
        ]
        .into());
    }
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::{Trust, listen_address};

    #[test]
    fn only_loopback_unless_the_network_is_trusted() {
        assert!(listen_address("127.0.0.1:50050", Trust::Loopback).is_ok());
        assert!(listen_address("[::1]:0", Trust::Loopback).is_ok());
        for open in ["0.0.0.0:50050", "[::]:50050", "192.0.2.1:1"] {
            let error = listen_address(open, Trust::Loopback).unwrap_err();
            assert!(error.to_string().contains("trust_network"), "{error}");
            assert!(listen_address(open, Trust::Network).is_ok());
        }
        for wrong in [
            "",
            "50050",
            "127.0.0.1",
            "127.0.0.1:port",
            "127.0.0.1:70000",
        ] {
            let error = listen_address(wrong, Trust::Network).unwrap_err();
            assert!(
                error
                    .to_string()
                    .contains("must be HOST:PORT, such as 127.0.0.1:50050"),
                "{error}"
            );
        }
    }
}
