//! Errors of queries on a cluster, with the text of the process that ran the task.

use super::token::Refusal;
use datafusion::common::DataFusionError;

/// Whether a failed query is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A process of the cluster was lost, or a task panicked.
    Retryable,
    /// The query or its data is at fault, or the scheduler never answered.
    Permanent,
}

/// An error of a query, and its kind. An error of the cluster itself is an external one, to tell it from errors of data.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) kind: Kind,
    pub(super) error: DataFusionError,
}

/// Parts of the engine's error texts for a lost process or a panic.
const RETRYABLE: &[&str] = &[
    "panicked",
    "executor lost",
    "ExecutorLost",
    "executors were lost",
    "FetchFailed",
    "FetchPartitionError",
    "Stream closed without job completing",
    "transport error",
    "h2 protocol error",
    "rejected by executor",
];

/// Parts of the error texts of a connection that nobody accepts.
const UNREACHABLE: &[&str] = &[
    "tcp connect error",
    "ConnectError",
    "dns error",
    "Timeout expired",
];

impl Failure {
    pub(super) fn retryable(reason: String) -> Self {
        Self {
            kind: Kind::Retryable,
            error: DataFusionError::External(reason.into()),
        }
    }

    pub(super) fn permanent(reason: String) -> Self {
        Self {
            kind: Kind::Permanent,
            error: DataFusionError::External(reason.into()),
        }
    }

    /// The failure behind an error of the engine's client, which holds the error of a task as the debug text of
    /// nested errors.
    pub(super) fn of(error: &DataFusionError, scheduler: &str) -> Self {
        let text = error.strip_backtrace();
        let has = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
        let address = scheduler.trim_start_matches("http://");
        let (job, cause) = match text.split_once(" failed: ") {
            Some((job, cause)) if job.contains("Job ") => (true, cause),
            _ => (false, text.as_str()),
        };
        if let (Some(refusal), false) = (Refusal::of(&text), job) {
            return Self::permanent(format!("df://{address}: {}", refusal.text()));
        }
        if has(UNREACHABLE) && text.contains(address) && !job {
            return Self::permanent(format!("no scheduler answers at df://{address}"));
        }
        if let (Some(error), true) = (of_store(cause), job) {
            return Self {
                kind: Kind::Permanent,
                error,
            };
        }
        if has(RETRYABLE) || has(UNREACHABLE) || (job && cause == "Cancelled") {
            return Self::retryable(format!(
                "the cluster lost the query ({})",
                first_line(cause)
            ));
        }
        Self {
            kind: Kind::Permanent,
            error: innermost(cause).unwrap_or_else(|| plain(cause)),
        }
    }
}

/// The error of an object store or the file system in a debug text: what it is about, if the text says so, and the
/// cause.
fn of_store(text: &str) -> Option<DataFusionError> {
    let (_, text) = text.split_once("ObjectStore(")?;
    let after = |mark: &str| text.split_once(mark).map(|(_, rest)| rest);
    let message = || after("message: \"").and_then(unquoted);
    let status = || {
        let status = after("status: ")?.split(',').next()?;
        let body = after("body: Some(\"")
            .and_then(unquoted)
            .unwrap_or_default();
        Some(format!("status {status} {body}").trim_end().to_owned())
    };
    let cause = status().or_else(message)?;
    let address = || after("uri: Some(")?.split(')').next().map(str::to_owned);
    let location = after("path: \"").and_then(unquoted).or_else(address);
    let text = location.map_or(cause.clone(), |location| format!("{location}: {cause}"));
    Some(DataFusionError::IoError(std::io::Error::other(text)))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The innermost error of a debug text such as `DataFusionError(Shared(Execution("…")))`.
fn innermost(text: &str) -> Option<DataFusionError> {
    let begin = text.find("DataFusionError(")?;
    let nested = &text[begin..];
    let Some(quote) = nested.find("(\"") else {
        // `ArrowError(DivideByZero)`
        let name = nested.trim_end_matches(')').rsplit('(').next()?;
        return Some(DataFusionError::Execution(words(name)));
    };
    let variant = nested[..quote].rsplit('(').next()?;
    if let Some(name) = variant.strip_suffix(", Some") {
        // An error without a message, such as a division by zero, followed by a backtrace.
        return Some(DataFusionError::Execution(words(name)));
    }
    let message = unquoted(&nested[quote + 2..])?;
    if variant == "Context" {
        // The text of an operator, then the error that it is about.
        let rest = format!("DataFusionError({}", after_text(&nested[quote + 2..])?);
        return innermost(&rest).map(|error| error.context(message));
    }
    Some(match variant {
        "Plan" => DataFusionError::Plan(message),
        "NotImplemented" => DataFusionError::NotImplemented(message),
        "Internal" => DataFusionError::Internal(message),
        "ResourcesExhausted" => DataFusionError::ResourcesExhausted(message),
        _ => DataFusionError::Execution(message),
    })
}

/// `DivideByZero` as `Divide by zero`.
fn words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        match letter.is_uppercase() && !words.is_empty() {
            true => words.extend([' '].into_iter().chain(letter.to_lowercase())),
            false => words.push(letter),
        }
    }
    words
}

/// What follows a debug literal and a comma, after its opening quote.
fn after_text(text: &str) -> Option<&str> {
    let mut escaped = false;
    let end = text.find(|letter| {
        let ends = letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
        ends
    })?;
    text[end + 1..].strip_prefix(", ")
}

/// The text of a debug literal after its opening quote.
fn unquoted(text: &str) -> Option<String> {
    let mut message = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => return Some(message),
            '\\' => match letters.next()? {
                'n' => message.push('\n'),
                't' => message.push('\t'),
                'r' => message.push('\r'),
                '0' => message.push('\0'),
                'u' => {
                    let code: String = letters.by_ref().skip(1).take_while(|c| *c != '}').collect();
                    message.extend(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32));
                }
                other => message.push(other),
            },
            other => message.push(other),
        }
    }
    None
}

/// An error of planning on the scheduler.
fn plain(text: &str) -> DataFusionError {
    let text = match text.split_once("message: \"") {
        // A gRPC status: its message, without its headers.
        Some((_, rest)) => unquoted(rest).unwrap_or_else(|| text.to_owned()),
        None => text.to_owned(),
    };
    let text = text.trim_start_matches("Could not parse plan: ");
    let text = text.trim_start_matches("DataFusion error: ");
    if let Some(rest) = text.strip_prefix("Error during planning: ") {
        return DataFusionError::Plan(rest.to_owned());
    }
    if let Some(rest) = text.strip_prefix("This feature is not implemented: ") {
        return DataFusionError::NotImplemented(rest.to_owned());
    }
    let text = text.trim_start_matches("Execution error: ");
    DataFusionError::Execution(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Failure, Kind};
    use datafusion::common::DataFusionError;

    fn of(text: &str) -> (Kind, String) {
        let error = DataFusionError::Execution(text.to_owned());
        let failure = Failure::of(&error, "http://127.0.0.1:50050");
        (failure.kind, failure.error.strip_backtrace())
    }

    #[test]
    fn errors_of_tasks_are_those_of_one_process() {
        let task = r#"Job 038 failed: Job failed due to stage 0 failed: Task failed due to runtime execution error: DataFusionError(Shared(External(DataFusionError(Plan("shingles: \"x\" must be\na constant")))))"#;
        assert_eq!(
            of(task),
            (
                Kind::Permanent,
                "Error during planning: shingles: \"x\" must be\na constant".to_owned()
            )
        );
        let named = r#"Job 1 failed: Job failed due to stage 0 failed: DataFusionError(Execution("the id Cancelled has two texts"))"#;
        assert_eq!(of(named).0, Kind::Permanent);
        let nameless = r#"Job 1 failed: Job failed due to stage 0 failed: DataFusionError(Shared(ArrowError(DivideByZero, Some(""))))"#;
        assert_eq!(of(nameless).1, "Execution error: Divide by zero");
        let nested = r#"Job 1 failed: Job failed due to stage 0 failed: DataFusionError(Shared(External(ArrowError(DivideByZero))))"#;
        assert_eq!(of(nested).1, "Execution error: Divide by zero");
        let store = r#"Job 1 failed: Job failed due to stage 0 failed: DataFusionError(Shared(ObjectStore(Generic { store: "LocalFileSystem", source: UnableToOpenFile { source: Os { code: 20, kind: NotADirectory, message: "Not a directory" }, path: "/a/x.csv" } })))"#;
        assert_eq!(of(store).1, "IO error: /a/x.csv: Not a directory");
        let full = r#"Job 1 failed: Job failed due to stage 0 failed: DataFusionError(ObjectStore(Generic { store: "LocalFileSystem", source: UnableToCopyDataToFile { source: Os { code: 28, kind: StorageFull, message: "No space left on device" } } }))"#;
        assert_eq!(of(full).1, "IO error: No space left on device");
        let bucket = r#"Job 1 failed: Job failed due to stage 0 failed: DataFusionError(ObjectStore(Generic { store: "S3", source: RetryError(RetryErrorImpl { method: PUT, uri: Some(http://s3:9000/b/x.csv), retries: 0, max_retries: 10, inner: Status { status: 403, body: Some("<Message>no</Message>") } }) }))"#;
        assert_eq!(
            of(bucket).1,
            "IO error: http://s3:9000/b/x.csv: status 403 <Message>no</Message>"
        );
        let unreachable = r#"Job 1 failed: Job failed due to stage 0 failed: DataFusionError(ObjectStore(Generic { store: "S3", source: RetryError(RetryErrorImpl { method: PUT, uri: Some(http://s3:9000/b/x.csv), retries: 10, inner: Http(HttpError { kind: Connect, source: ConnectError("tcp connect error", 127.0.0.1:9000, Os { code: 111, kind: ConnectionRefused, message: "Connection refused" }) }) }) }))"#;
        assert_eq!(
            of(unreachable),
            (
                Kind::Permanent,
                "IO error: http://s3:9000/b/x.csv: Connection refused".to_owned()
            )
        );
        let context = r#"Job 1 failed: Job failed due to stage 0 failed: DataFusionError(Shared(Context("not \"enough\"", ResourcesExhausted("no room"))))"#;
        let error = Failure::of(
            &DataFusionError::Execution(context.to_owned()),
            "http://a:1",
        )
        .error;
        assert!(matches!(
            error.find_root(),
            DataFusionError::ResourcesExhausted(_)
        ));
        assert!(error.to_string().contains("not \"enough\""), "{error}");
        let planning = "Job 1 failed: DataFusion error: Error during planning: a.xml: no such file";
        assert_eq!(of(planning).1, "Error during planning: a.xml: no such file");
    }

    #[test]
    fn a_refused_token_is_reported_once() {
        let refused = r#"Status { code: 'The request does not have valid authentication credentials', message: "the token of the request is not that of the cluster (--token-file)", source: None }"#;
        assert_eq!(
            of(refused),
            (
                Kind::Permanent,
                "External error: df://127.0.0.1:50050: the token of the request is not that of the cluster (--token-file)".to_owned()
            )
        );
    }

    #[test]
    fn what_the_cluster_lost_is_sent_again() {
        for text in [
            "Job 1 failed: Cancelled",
            "Job 1 failed: Job failed due to stage 2 failed: shuffle-write drain task panicked: x",
            "Job 1 failed: all executors were lost and no executor re-registered within 20s",
            "code: 'Unknown error', message: \"h2 protocol error: error reading a body from connection\"",
            "tonic::transport::Error(Transport, ConnectError(ConnectError(\"tcp connect error\", 127.0.0.1:33333, Os)))",
        ] {
            assert_eq!(of(text).0, Kind::Retryable, "{text}");
        }
        let nobody = "tonic::transport::Error(Transport, ConnectError(ConnectError(\"tcp connect error\", 127.0.0.1:50050, Os { code: 111 })))";
        assert_eq!(
            of(nobody),
            (
                Kind::Permanent,
                "External error: no scheduler answers at df://127.0.0.1:50050".to_owned()
            )
        );
    }
}
