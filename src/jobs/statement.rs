//! The statements of the steps.

/// A statement of `sql/jobs/`, by its name.
macro_rules! statement {
    ($name:literal) => {
        $crate::functions::Template {
            name: concat!("jobs/", $name),
            text: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/sql/jobs/",
                $name,
                ".sql"
            )),
        }
    };
}
