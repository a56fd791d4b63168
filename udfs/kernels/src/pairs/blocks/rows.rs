//! Rows with their keys and sets.

/// What a row is to one of several joins ([`super::KeyPart`]).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Role {
    /// The join is the home of the row, or the only one.
    #[default]
    Home,
    /// The home of the row is a later join.
    Later,
    /// The home of the row is an earlier join. The row is here for its marked keys only.
    Earlier,
}

/// A row.
#[derive(Debug, Clone, Copy)]
pub struct SetRow<'a> {
    /// Distinct keys, in the order of [`super::super::PairInput::keys`].
    pub keys: &'a [u64],
    /// Tokens, in ascending order and distinct.
    pub set: &'a [u64],
    /// In a join of two relations the side, 0 or 1; otherwise 0.
    pub side: u8,
    /// What the row is to the join.
    pub role: Role,
}

/// Rows, numbered from 0.
#[derive(Debug)]
pub struct SetRows {
    /// The start of each row's keys, and the end of the last one's.
    key_ends: Vec<usize>,
    keys: Vec<u64>,
    set_ends: Vec<usize>,
    tokens: Vec<u64>,
    sides: Vec<u8>,
    roles: Vec<Role>,
}

impl SetRows {
    /// No rows, with capacity for this number of rows, of keys and of tokens in all.
    #[must_use]
    pub fn with_capacity(rows: usize, keys: usize, tokens: usize) -> Self {
        let ends = || {
            let mut ends = Vec::with_capacity(rows + 1);
            ends.push(0);
            ends
        };
        Self {
            key_ends: ends(),
            keys: Vec::with_capacity(keys),
            set_ends: ends(),
            tokens: Vec::with_capacity(tokens),
            sides: Vec::with_capacity(rows),
            roles: Vec::with_capacity(rows),
        }
    }

    /// The bytes that [`Self::with_capacity`] allocates.
    #[must_use]
    pub fn memory_for(rows: usize, keys: usize, tokens: usize) -> usize {
        let values = keys.saturating_add(tokens).saturating_add(2 * (rows + 1));
        values
            .saturating_mul(size_of::<u64>())
            .saturating_add(rows.saturating_mul(2))
    }

    /// Adds a row, with other keys.
    pub fn push(&mut self, row: SetRow<'_>, keys: impl IntoIterator<Item = u64>) {
        self.keys.extend(keys);
        self.key_ends.push(self.keys.len());
        self.tokens.extend_from_slice(row.set);
        self.set_ends.push(self.tokens.len());
        self.sides.push(row.side);
        self.roles.push(row.role);
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sides.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sides.is_empty()
    }

    /// A row.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    #[must_use]
    pub fn row(&self, row: usize) -> SetRow<'_> {
        SetRow {
            keys: &self.keys[self.key_ends[row]..self.key_ends[row + 1]],
            set: &self.tokens[self.set_ends[row]..self.set_ends[row + 1]],
            side: self.sides[row],
            role: self.roles[row],
        }
    }

    /// All rows.
    pub fn iter(&self) -> impl Iterator<Item = SetRow<'_>> {
        (0..self.len()).map(|row| self.row(row))
    }

    /// The number of tokens of all rows.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.tokens.len()
    }

    /// Bytes held.
    #[must_use]
    pub fn memory(&self) -> usize {
        let words = self.keys.capacity() + self.tokens.capacity();
        let ends = self.key_ends.capacity() + self.set_ends.capacity();
        8 * words + size_of::<usize>() * ends + self.sides.capacity() + self.roles.capacity()
    }
}
