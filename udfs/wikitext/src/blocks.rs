//! The kind of block that each line of a plain text was on the page.

/// What a line of plain text was on the page. As a text, it is one letter for each line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Block {
    /// Part of the running text, the letter `p`.
    #[default]
    Paragraph,
    /// An item of a list, a definition list included, the letter `l`.
    ListItem,
    /// The title of a section, the letter `h`.
    Heading,
}

impl Block {
    /// Its letter.
    pub fn letter(self) -> char {
        match self {
            Self::Paragraph => 'p',
            Self::ListItem => 'l',
            Self::Heading => 'h',
        }
    }

    /// The kind that a letter means.
    pub fn of_letter(letter: u8) -> Option<Self> {
        match letter {
            b'p' => Some(Self::Paragraph),
            b'l' => Some(Self::ListItem),
            b'h' => Some(Self::Heading),
            _ => None,
        }
    }
}

/// Where blocks begin that are no paragraphs, in ascending order.
#[derive(Debug, Default)]
pub(super) struct Marks(Vec<(usize, Block)>);

impl Marks {
    /// A block begins at the end of an output of this length.
    pub(super) fn begin(&mut self, length: usize, block: Block) {
        while self.0.pop_if(|(at, _)| *at >= length).is_some() {}
        if block != Block::Paragraph {
            self.0.push((length, block));
        }
    }

    /// The output is cut back to this length.
    pub(super) fn cut(&mut self, length: usize) {
        while self.0.pop_if(|(at, _)| *at > length).is_some() {}
    }

    /// The marks in the order of the output.
    pub(super) fn in_order(&self) -> std::slice::Iter<'_, (usize, Block)> {
        self.0.iter()
    }
}

/// The block that begins at `start`, if no block before it is asked for later.
pub(super) fn block_at(
    marks: &mut std::iter::Peekable<std::slice::Iter<'_, (usize, Block)>>,
    start: usize,
) -> Block {
    while marks.next_if(|(at, _)| *at < start).is_some() {}
    marks
        .next_if(|(at, _)| *at == start)
        .map_or(Block::Paragraph, |(_, block)| *block)
}
