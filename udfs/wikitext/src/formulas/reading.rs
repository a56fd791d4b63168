//! The events of the parser as operators and operands.
//!
//! The events come in prefix order: an operator, then its operands. Operators whose operands are not complete are
//! on an explicit stack, so that nothing recurses.

use pulldown_latex::event::{
    EnvironmentFlow, Event, Font, Grouping, ScriptType, StateChange, Visual,
};

use super::operands::{Class, Kind, Operand, Operator, combined, operand};

/// The operators that are open; the first is the whole formula.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    open: Vec<Operator>,
    /// The texts whose numbers are in the formula.
    texts: &'a [String],
}

impl<'a> Reading<'a> {
    pub(super) fn new(texts: &'a [String]) -> Self {
        let mut reading = Self {
            open: Vec::new(),
            texts,
        };
        reading.open(Kind::Group(None, None), None);
        reading
    }

    fn open(&mut self, kind: Kind, arity: Option<usize>) {
        let double_struck = self.open.last().is_some_and(|outer| outer.double_struck);
        self.open.push(Operator {
            kind,
            arity,
            operands: Vec::new(),
            double_struck,
        });
    }

    /// Reads an event; `None` if groups are not balanced.
    pub(super) fn event(&mut self, event: Event<'_>) -> Option<()> {
        match event {
            Event::Content(content) => {
                let double_struck = self.open.last()?.double_struck;
                self.operand(operand(content, double_struck, self.texts))?;
            }
            Event::Begin(grouping) => {
                let (opening, closing) = match grouping {
                    Grouping::LeftRight(opening, closing) => (opening, closing),
                    Grouping::Cases { left: true } => (Some('{'), None),
                    Grouping::Cases { left: false } => (None, Some('}')),
                    _ => (None, None),
                };
                self.open(Kind::Group(opening, closing), None);
            }
            Event::End => self.close()?,
            Event::Visual(visual) => {
                let (kind, arity) = match visual {
                    Visual::SquareRoot => (Kind::SquareRoot, 1),
                    Visual::Root => (Kind::Root, 2),
                    Visual::Fraction(line) => {
                        let has_line = line.is_none_or(|line| line.value != 0.0);
                        (Kind::Fraction { has_line }, 2)
                    }
                    Visual::Negation => (Kind::Negation, 1),
                };
                self.open(kind, Some(arity));
            }
            Event::Script { ty, position } => {
                let arity = 2 + usize::from(ty == ScriptType::SubSuperscript);
                self.open(Kind::Script(ty, position), Some(arity));
            }
            Event::Space { .. } => self.operand(Operand::new(String::new(), Class::Space))?,
            Event::StateChange(StateChange::Font(font)) => {
                self.open.last_mut()?.double_struck = font == Some(Font::DoubleStruck);
            }
            Event::StateChange(_) => {}
            // Cells and rows of a matrix.
            Event::EnvironmentFlow(flow) => {
                let (text, class) = match flow {
                    EnvironmentFlow::Alignment => ("", Class::Space),
                    EnvironmentFlow::NewLine { .. } => (";", Class::Punctuation),
                    EnvironmentFlow::StartLines { .. } => return Some(()),
                };
                let flow = Operand::new(text.to_owned(), class);
                // They are no operands, and occur only in groups.
                self.open.last_mut()?.operands.push(flow);
            }
        }
        Some(())
    }

    /// The operands of the whole formula; `None` if something waits for operands.
    pub(super) fn end(self) -> Option<Vec<Operand>> {
        let [Operator { operands, .. }] = <[Operator; 1]>::try_from(self.open).ok()?;
        Some(operands)
    }

    /// Ends the innermost group.
    fn close(&mut self) -> Option<()> {
        let operator = self.open.pop_if(|operator| operator.arity.is_none())?;
        // The whole formula has no end of its own.
        self.open.last()?;
        self.operand(combined(operator)?)
    }

    /// Gives an operand to the innermost operator, and that one to the next if it was its last operand.
    fn operand(&mut self, mut operand: Operand) -> Option<()> {
        loop {
            let operator = self.open.last_mut()?;
            operator.operands.push(operand);
            if operator.arity != Some(operator.operands.len()) {
                return Some(());
            }
            operand = combined(self.open.pop()?)?;
        }
    }
}
