//! Cleaning and splitting of real text. The corpora lie outside the project; where one is absent
//! its tests say so and pass.

mod golden_sentences;
mod pages;
mod sentences;
mod shared;
mod wikitext;
