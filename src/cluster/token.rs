//! The optional secret that every request to a process of a cluster must carry.
//!
//! The engine's clients allow their endpoint to be configured before they connect, and the only header that an
//! endpoint can set is the user agent. So the token is sent as `user-agent: neardup-token=TOKEN`; `authorization:
//! Bearer TOKEN` is accepted as well. The engine's server for tasks offers no hook for authentication. However,
//! each task arrives with session options, and the engine requests a runtime before it decodes the plan: at that
//! point the options must hold a key that is derived from the token.

use crate::parameters::{parameter_error, set};
use ballista_core::extension::EndpointOverrideFn;
use datafusion::common::config::{ConfigEntry, ConfigExtension, ConfigOptions, ExtensionOptions};
use datafusion::common::{DataFusionError, Result, exec_err, plan_err};
use datafusion::prelude::SessionConfig;
use sha2::{Digest, Sha256};
use std::any::Any;
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use subtle::ConstantTimeEq;
use tonic::codegen::http::HeaderMap;
use tonic::codegen::http::header::{AUTHORIZATION, USER_AGENT};

/// Allowed lengths of a token in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 16..=512;
/// Prefix of the token in the user agent.
const USER_AGENT_PREFIX: &str = "neardup-token=";

/// A secret that the processes of a cluster share.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(Arc<str>);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    Missing,
    Wrong,
}

impl Refusal {
    /// The error text of the refusal, which the client searches for in errors.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Missing => "a token is required, but the request has none (--token-file)",
            Self::Wrong => "the token of the request is not that of the cluster (--token-file)",
        }
    }

    /// The reason of a refusal, if `text` contains its error text.
    pub(super) fn of(text: &str) -> Option<Self> {
        let matches = |refusal: &Self| text.contains(refusal.text());
        [Self::Missing, Self::Wrong].into_iter().find(matches)
    }
}

impl Token {
    /// The token in a file: one line of 16 to 512 visible ASCII characters. Nobody but its owner may read
    /// the file.
    ///
    /// # Errors
    /// If it cannot be read, others can read it, or it holds no token.
    pub fn read(path: &Path) -> Result<Self> {
        let wrong = |what: String| {
            let error = parameter_error![set("token_file", path.display()), format!(": {what}")];
            DataFusionError::from(error)
        };
        let mut file = File::open(path).map_err(|error| wrong(error.to_string()))?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let about = file.metadata().map_err(|error| wrong(error.to_string()))?;
            let mode = about.permissions().mode() & 0o7777;
            if about.is_file() && mode & 0o077 != 0 {
                return Err(wrong(format!(
                    "other users can read or change it (mode {mode:04o}); chmod 600 makes it private"
                )));
            }
        }
        let mut bytes = Vec::new();
        // A token and its line break; a longer file is refused by its length.
        let max_bytes = *LENGTHS.end() as u64 + 3;
        let read = file.by_ref().take(max_bytes).read_to_end(&mut bytes);
        read.map_err(|error| wrong(error.to_string()))?;
        let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if !LENGTHS.contains(&text.len()) {
            let (min, max) = (LENGTHS.start(), LENGTHS.end());
            let found = match bytes.len() as u64 == max_bytes {
                true => "more".to_owned(),
                false => text.len().to_string(),
            };
            return Err(wrong(format!(
                "must be one line of {min} to {max} characters, found {found}"
            )));
        }
        match text.iter().position(|byte| !byte.is_ascii_graphic()) {
            Some(index) => Err(wrong(format!(
                "must be one line of visible ASCII characters without spaces; character {} is not one of them",
                index + 1
            ))),
            None => Ok(Self(String::from_utf8_lossy(text).into())),
        }
    }

    /// The hook that puts the token into every request of the engine's clients.
    pub(super) fn endpoint(&self) -> EndpointOverrideFn {
        let agent = format!("{USER_AGENT_PREFIX}{}", self.0);
        Arc::new(move |endpoint| Ok(endpoint.user_agent(agent.clone())?))
    }

    /// The value of `authorization`.
    pub(super) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// Whether the headers of a request carry this token.
    pub(super) fn check(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let mut found = None;
        let bearers = headers.get_all(AUTHORIZATION).iter();
        let bearers = bearers.filter_map(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        let agents = headers.get_all(USER_AGENT).iter();
        let agents = agents.filter_map(|value| value.to_str().ok());
        let words = agents.flat_map(|agent| {
            agent
                .split(' ')
                .filter_map(|w| w.strip_prefix(USER_AGENT_PREFIX))
        });
        for given in bearers.chain(words) {
            let right = bool::from(given.as_bytes().ct_eq(self.0.as_bytes()));
            found = Some(found.unwrap_or(false) | right);
        }
        match found {
            Some(true) => Ok(()),
            Some(false) => Err(Refusal::Wrong),
            None => Err(Refusal::Missing),
        }
    }

    /// The key that a task carries instead of the token, because session options can be shown to users.
    fn key(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(b"neardup: a task of this cluster\n");
        hash.update(self.0.as_bytes());
        let digest = hash.finalize();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The configuration of a scheduler's session, with the key that its tasks carry.
    pub(super) fn with_task_key(token: Option<&Self>, config: SessionConfig) -> SessionConfig {
        match token {
            Some(token) => config.with_option_extension(TaskOptions { key: token.key() }),
            None => config,
        }
    }

    /// Whether the options of a task carry the key of this token.
    pub(super) fn check_task(&self, options: &ConfigOptions) -> Result<()> {
        let given = options.extensions.get::<TaskOptions>();
        let given = given.map_or("", |options| options.key.as_str());
        match bool::from(given.as_bytes().ct_eq(self.key().as_bytes())) {
            true => Ok(()),
            false if given.is_empty() => exec_err!("{}", Refusal::Missing.text()),
            false => exec_err!("{}", Refusal::Wrong.text()),
        }
    }
}

/// Session options that prove that a task comes from a scheduler that knows the token.
#[derive(Clone, Default)]
pub(super) struct TaskOptions {
    key: String,
}

impl fmt::Debug for TaskOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TaskOptions(…)")
    }
}

impl ConfigExtension for TaskOptions {
    const PREFIX: &'static str = "neardup_task";
}

impl ExtensionOptions for TaskOptions {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn cloned(&self) -> Box<dyn ExtensionOptions> {
        Box::new(self.clone())
    }

    fn set(&mut self, key: &str, value: &str) -> Result<()> {
        match key {
            "key" => value.clone_into(&mut self.key),
            _ => return plan_err!("{}.{key} is no option", Self::PREFIX),
        }
        Ok(())
    }

    fn entries(&self) -> Vec<ConfigEntry> {
        vec![ConfigEntry {
            key: format!("{}.key", Self::PREFIX),
            value: Some(self.key.clone()),
            description: "proves that a task comes from this cluster's scheduler",
        }]
    }
}

/// Checks that the scheduler at `HOST:PORT` and this process agree on the token, or on using none.
///
/// # Errors
/// If the scheduler requires no token, another one, or one that is not given. A scheduler that does not answer is
/// no error here.
pub(super) async fn check_scheduler_token(scheduler: &str, token: Option<&Token>) -> Result<()> {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(std::time::Duration::from_secs(10)))
        .http_status_as_error(false)
        .build()
        .into();
    let url = format!("http://{scheduler}/healthz");
    let ask = |bearer: Option<String>| {
        let mut request = agent.get(&url);
        if let Some(bearer) = bearer {
            request = request.header("authorization", bearer);
        }
        let asked = tokio::task::spawn_blocking(move || request.call());
        async move { Some(asked.await.ok()?.ok()?.status().as_u16()) }
    };
    match (ask(None).await, token) {
        (Some(401), None) => plan_err!("--scheduler {scheduler}: {}", Refusal::Missing.text()),
        (Some(401), Some(token)) => match ask(Some(token.bearer())).await {
            Some(401) => plan_err!("--scheduler {scheduler}: {}", Refusal::Wrong.text()),
            _ => Ok(()),
        },
        // A scheduler that requires no token does not get to see it.
        (Some(_), Some(_)) => plan_err!(
            "--scheduler {scheduler}: does not require a token; start it with --token-file, too"
        ),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn file(bytes: &[u8], mode: u32) -> (tempfile::TempDir, std::path::PathBuf) {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("token");
        std::fs::write(&path, bytes).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        (scratch, path)
    }

    fn error(bytes: &[u8], mode: u32) -> String {
        let (_scratch, path) = file(bytes, mode);
        Token::read(&path).unwrap_err().to_string()
    }

    fn token(text: &str) -> Token {
        let (_scratch, path) = file(text.as_bytes(), 0o600);
        Token::read(&path).unwrap()
    }

    #[test]
    fn a_token_is_one_private_line() {
        let good = token("0123456789abcdef\n");
        assert_eq!(good, token("0123456789abcdef"));
        assert_eq!(good, token("0123456789abcdef\r\n"));
        assert_eq!(format!("{good:?}"), "Token(…)");
        assert!(error(b"0123456789abcdef", 0o640).contains("mode 0640"));
        assert!(error(b"0123456789abcdef", 0o604).contains("chmod 600"));
        assert!(error(b"", 0o600).contains("found 0"));
        assert!(error(b"\n", 0o600).contains("found 0"));
        assert!(error(b"short", 0o600).contains("found 5"));
        assert!(error(&[b'x'; 513], 0o600).contains("found 513"));
        assert!(error(&[b'x'; 5000], 0o600).contains("found more"));
        let secret = error(b"0123456789abcdef\nsecond", 0o600);
        assert!(
            secret.contains("character 17 is not one of them"),
            "{secret}"
        );
        assert!(!secret.contains("second"), "{secret}");
        assert!(error(b"0123456789 abcdef", 0o600).contains("character 11"));
        assert!(error("0123456789abcdefé".as_bytes(), 0o600).contains("character 17"));
        assert!(error(b"0123456789abcdef\0", 0o600).contains("character 17"));
        let nowhere = Token::read(Path::new("/nowhere/token")).unwrap_err();
        assert!(nowhere.to_string().contains("/nowhere/token"), "{nowhere}");
    }

    #[test]
    fn requests_carry_it_in_one_of_two_headers() {
        let token = token("0123456789abcdef");
        let check = |name: &'static str, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            token.check(&headers)
        };
        assert_eq!(token.check(&HeaderMap::new()), Err(Refusal::Missing));
        assert_eq!(check("authorization", &token.bearer()), Ok(()));
        let agent = "mine/1 neardup-token=0123456789abcdef tonic/0.14.9";
        assert_eq!(check("user-agent", agent), Ok(()));
        assert_eq!(check("user-agent", "curl/8"), Err(Refusal::Missing));
        assert_eq!(check("authorization", "Basic x"), Err(Refusal::Missing));
        for wrong in [
            "",
            "0123456789abcdeg",
            "0123456789abcde",
            "0123456789abcdef0",
        ] {
            let given = format!("Bearer {wrong}");
            assert_eq!(
                check("authorization", &given),
                Err(Refusal::Wrong),
                "{wrong}"
            );
        }
    }

    #[test]
    fn tasks_carry_a_key_that_is_not_the_token() {
        let (mine, other) = (token("0123456789abcdef"), token("0123456789abcdeg"));
        let config = Token::with_task_key(Some(&mine), SessionConfig::new());
        assert!(mine.check_task(config.options()).is_ok());
        let refused = other.check_task(config.options()).unwrap_err().to_string();
        assert_eq!(Refusal::of(&refused), Some(Refusal::Wrong));
        let plain = Token::with_task_key(None, SessionConfig::new());
        let refused = mine.check_task(plain.options()).unwrap_err().to_string();
        assert_eq!(Refusal::of(&refused), Some(Refusal::Missing));
        let entries = config.options().entries();
        let shown = entries.iter().filter_map(|entry| entry.value.as_deref());
        assert!(
            shown
                .into_iter()
                .all(|value| !value.contains("0123456789abcdef"))
        );
    }
}
