//! Reads XML in gzip: the range that holds the first byte returns the whole file, other ranges return nothing.

use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::sync::Arc;

use flate2::bufread::GzDecoder;

use super::Chunk;
use super::footer::Tail;
use crate::error::DumpError;
use crate::location::Location;
use crate::losses::Losses;
use crate::options::OnError;
use crate::source::{READ_BYTES, ReadAt, SequentialReader, read_full};

const MAGIC: [u8; 2] = [0x1F, 0x8B];

type File = BufReader<SequentialReader>;

enum State {
    /// Between members.
    Between(File),
    Member(Box<GzDecoder<File>>),
    Done,
}

pub(crate) struct GzipInput {
    state: State,
    /// Where the member being read starts in the file.
    member: u64,
    length: u64,
    decoded: u64,
    buf: Vec<u8>,
    salvage: bool,
    gap: bool,
    tail: Tail,
}

impl GzipInput {
    pub(super) fn new(source: Arc<dyn ReadAt>, range: Range<u64>, on_error: OnError) -> Self {
        let length = source.len();
        let file = BufReader::with_capacity(READ_BYTES, SequentialReader::new(source, 0));
        Self {
            state: if range.contains(&0) {
                State::Between(file)
            } else {
                State::Done
            },
            member: 0,
            length,
            decoded: 0,
            buf: vec![0; READ_BYTES],
            salvage: on_error == OnError::Skip,
            gap: false,
            tail: Tail::default(),
        }
    }

    pub(super) fn lacks_footer(&self) -> bool {
        self.tail.lacks_footer()
    }

    pub(super) fn ended_in_gap(&self) -> bool {
        self.gap
    }

    pub(super) fn next_chunk(
        &mut self,
        losses: &mut Losses,
    ) -> Result<Option<Chunk<'_>>, DumpError> {
        loop {
            match std::mem::replace(&mut self.state, State::Done) {
                State::Done => return Ok(None),
                State::Between(file) => self.enter_member(file, losses)?,
                State::Member(mut decoder) => match decoder.read(&mut self.buf) {
                    Ok(0) => self.state = State::Between(decoder.into_inner()),
                    Ok(read) => {
                        self.state = State::Member(decoder);
                        let location = Location::Decoded { byte: self.decoded };
                        self.decoded += read as u64;
                        self.tail.push(&self.buf[..read]);
                        return Ok(Some(Chunk {
                            bytes: &self.buf[..read],
                            location,
                            owned: true,
                            gap: false,
                        }));
                    }
                    Err(error) => {
                        let offset = decoder.get_ref().get_ref().offset();
                        self.fault(error, offset, losses)?;
                    }
                },
            }
        }
    }

    /// Enters the next member. Like gzip, it ignores bytes after a member that do not start another one.
    fn enter_member(&mut self, mut file: File, losses: &mut Losses) -> Result<(), DumpError> {
        let offset = file.get_ref().offset() - file.buffer().len() as u64;
        if file.buffer().len() < MAGIC.len() && offset + 2 <= self.length {
            let mut start = [0; MAGIC.len()];
            let source = Arc::clone(file.get_ref().source());
            read_full(&*source, offset, &mut start)
                .map_err(|source| DumpError::Io { offset, source })?;
            file = BufReader::with_capacity(READ_BYTES, SequentialReader::new(source, offset));
            if start == MAGIC {
                self.member = offset;
                self.state = State::Member(Box::new(GzDecoder::new(file)));
            } else {
                losses.trailing_bytes += self.length - offset;
            }
        } else if file.buffer().starts_with(&MAGIC) {
            self.member = offset;
            self.state = State::Member(Box::new(GzDecoder::new(file)));
        } else {
            losses.trailing_bytes += self.length.saturating_sub(offset);
        }
        Ok(())
    }

    fn fault(
        &mut self,
        source: io::Error,
        offset: u64,
        losses: &mut Losses,
    ) -> Result<(), DumpError> {
        let cut = source.kind() == io::ErrorKind::UnexpectedEof;
        let corrupt = matches!(
            source.kind(),
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData
        );
        if !cut && !corrupt {
            return Err(DumpError::Io { offset, source });
        }
        if self.salvage {
            losses.truncated += 1;
            losses.bytes += self.length.saturating_sub(offset);
            self.gap = true;
            return Ok(());
        }
        Err(if cut {
            DumpError::Truncated {
                offset: self.length,
                last: None,
            }
        } else {
            DumpError::CorruptGzip {
                offset: self.decoded,
                source,
            }
        })
    }
}
