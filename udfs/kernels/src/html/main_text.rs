//! The blocks of a page that are its main content.
//!
//! The rule is the decision tree over numbers of words and densities of links, of a block and its neighbours, of
//! C. Kohlschütter, P. Fankhauser and W. Nejdl, *Boilerplate Detection using Shallow Text Features*, WSDM 2010
//! (their classifier by number of words). It needs no tree of elements and no lists of words of a language.

use std::ops::Range;

use super::Block;
use crate::words::for_each_word;

/// A block as the rule sees it.
#[derive(Clone, Copy, Default)]
struct Features {
    words: usize,
    link_words: usize,
}

impl Features {
    /// Whether the block is a list of links rather than text.
    fn are_links(self) -> bool {
        self.links_exceed(1, 3)
    }

    /// Whether the share of words in links is greater than a fraction.
    fn links_exceed(self, numerator: usize, denominator: usize) -> bool {
        denominator * self.link_words > numerator * self.words
    }
}

/// Marks the blocks that are the main content as kept, the others as not kept.
///
/// Two rules are added to the published one, for what a page says about itself. If its elements for the main content
/// (`<main>`, `<article>`) have at least half of the words that the tree keeps, all blocks in them are kept that are
/// not links for the most part, and no others. And a heading is kept if the block after it is.
pub(super) fn keep_main(text: &str, links: &[Range<usize>], blocks: &mut [Block]) {
    let mut features = Vec::with_capacity(blocks.len());
    for (index, block) in blocks.iter().enumerate() {
        let end = blocks.get(index + 1).map_or(links.len(), |next| next.links);
        // White space at the end of a block is no part of it, but may be a link.
        let link_words = |link: &Range<usize>| words(text.get(link.clone()).unwrap_or_default());
        features.push(Features {
            words: words(&text[block.text.clone()]),
            link_words: links[block.links..end].iter().map(link_words).sum(),
        });
    }
    // Blocks without a word are neighbours of none.
    let counted: Vec<usize> = (0..blocks.len())
        .filter(|&index| features[index].words > 0)
        .collect();
    let at = |place: Option<usize>| {
        let index = place.and_then(|place| counted.get(place));
        index.map_or_else(Features::default, |&index| features[index])
    };
    blocks.iter_mut().for_each(|block| block.is_kept = false);
    let (mut kept, mut kept_main) = (0, 0);
    for (place, &index) in counted.iter().enumerate() {
        let current = features[index];
        if is_content(at(place.checked_sub(1)), current, at(Some(place + 1))) {
            blocks[index].is_kept = true;
            kept += current.words;
            kept_main += if blocks[index].is_main {
                current.words
            } else {
                0
            };
        }
    }
    if kept_main > 0 && 2 * kept_main >= kept {
        for (block, features) in blocks.iter_mut().zip(&features) {
            block.is_kept = block.is_main && !features.are_links();
        }
        return;
    }
    let mut next_is_kept = false;
    for &index in counted.iter().rev() {
        let block = &mut blocks[index];
        if block.is_heading && !features[index].are_links() {
            block.is_kept = next_is_kept;
        }
        next_is_kept = block.is_kept;
    }
}

/// The published decision tree.
fn is_content(previous: Features, current: Features, next: Features) -> bool {
    if current.are_links() {
        return false;
    }
    if previous.links_exceed(5, 9) {
        return current.words > 40 || next.words > 17;
    }
    current.words > 16 || next.words > 15 || previous.words > 4
}

fn words(text: &str) -> usize {
    let mut count = 0;
    for_each_word(text, |_| count += 1);
    count
}
