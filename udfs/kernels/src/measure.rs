//! Measures of the similarity of two items.

use std::fmt;
use std::str::FromStr;

/// A measure of the similarity of two items, which are texts, sets or vectors. How pairs are found is independent of
/// it, but not every method finds the pairs of every measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Measure {
    /// The Jaccard similarity of two sets, those of the shingles of a text.
    Jaccard,
    /// The share of one set that is in another one, those of the shingles of texts: of the first item in the second.
    Containment,
    /// The edit similarity of two texts.
    Edit,
    /// The cosine of two vectors.
    Cosine,
}

impl Measure {
    /// Every measure.
    pub const ALL: [Self; 4] = [Self::Jaccard, Self::Containment, Self::Edit, Self::Cosine];
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Jaccard => "jaccard",
            Self::Containment => "containment",
            Self::Edit => "edit",
            Self::Cosine => "cosine",
        })
    }
}

/// A name that no measure has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownMeasure(String);

impl fmt::Display for UnknownMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Measure::ALL.map(|measure| measure.to_string()).join(", ");
        write!(f, "measure must be one of {names}, found '{}'", self.0)
    }
}

impl std::error::Error for UnknownMeasure {}

impl FromStr for Measure {
    type Err = UnknownMeasure;

    fn from_str(name: &str) -> Result<Self, UnknownMeasure> {
        let found = Self::ALL
            .into_iter()
            .find(|measure| measure.to_string() == name);
        found.ok_or_else(|| UnknownMeasure(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for measure in Measure::ALL {
            assert_eq!(measure.to_string().parse(), Ok(measure));
        }
        let unknown = "Cosine"
            .parse::<Measure>()
            .map_err(|error| error.to_string());
        assert_eq!(
            unknown,
            Err(
                "measure must be one of jaccard, containment, edit, cosine, found 'Cosine'"
                    .to_owned()
            )
        );
    }
}
