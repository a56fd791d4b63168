//! Enumerations whose values are keywords in manifests, on the command line and in SQL.

/// Declares an enumeration with one spelling for each value, which `Display` writes and `FromStr` reads.
macro_rules! words {
    (
        $(#[$about:meta])*
        pub enum $name:ident($what:literal) {
            $($(#[$doc:meta])* $value:ident = $word:literal,)+
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($(#[$doc])* $value,)+
        }

        impl $name {
            /// Every value.
            pub const ALL: &[Self] = &[$(Self::$value),+];

            /// The word for it.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let mut all = Self::ALL.iter().copied();
                all.find(|value| value.word() == text).ok_or_else(|| {
                    let words: Vec<&str> = Self::ALL.iter().map(|value| value.word()).collect();
                    format!("{} must be one of {}, found {text}", $what, words.join(", "))
                })
            }
        }
    };
}
