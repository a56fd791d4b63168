use super::*;

const LIMIT: usize = 70;

/// The pieces as text, for one chunk size; `foreign` is where the owned part ends.
fn pieces(dump: &[u8], size: usize, foreign: usize, from_start: bool) -> Vec<String> {
    let mut scanner = PageScanner::new(LIMIT, from_start);
    let mut out = Vec::new();
    let mut push = |chunk: &[u8], at: usize, owned: bool, scanner: &mut PageScanner| {
        scanner.push(chunk, Location::File { byte: at as u64 }, owned);
        while let Some(piece) = scanner.next_piece() {
            out.push(show(piece));
        }
    };
    let mut at = 0;
    while at < dump.len() && !scanner.is_done() {
        if at >= foreign && scanner.idle() {
            break;
        }
        let mut end = dump.len().min(at + size);
        if at < foreign {
            end = end.min(foreign);
        }
        push(&dump[at..end], at, at < foreign, &mut scanner);
        at = end;
    }
    while let Some(piece) = scanner.finish() {
        out.push(show(piece));
    }
    out
}

fn show(piece: Piece<'_>) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match piece {
        Piece::Head { bytes, location } => format!("{location} {}", text(bytes)),
        Piece::Revision(bytes) => text(bytes),
        Piece::LargeRevision => "large".to_owned(),
        Piece::End => "end".to_owned(),
        Piece::Stray => "stray".to_owned(),
        Piece::RevisionEnd => "revision end".to_owned(),
        Piece::Broken { reason, location } => format!("{location} {reason}"),
    }
}

const DUMP: &str = "<mediawiki><siteinfo></siteinfo>junk </page> <pag <page><title>A</title>\
    <revision>1</revision> <revision>2 &lt;page&gt;</revision></page>\n<page><title>B</title></page>\
    <page><title>U</title><revision>3</revision><page><title>C</title><revision>4</page>\
    <page><title>D</title><redirect <page><title>Dt=1 /><revision>5 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa</revision>\
    <revision>6</revision></page><page><title>E</title>EEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE\
    <revision>7</revision></page><page><title>I</title><revision>8</revision></page> </page>\
    </page>< /mediawiki><page><revision>no title</revision></page> <page>F";

#[test]
fn the_same_pieces_at_every_chunk_size() {
    let whole = pieces(DUMP.as_bytes(), DUMP.len(), DUMP.len(), true);
    assert_eq!(
        whole,
        [
            "stray",
            "byte 50 <page><title>A</title>",
            "<revision>1</revision>",
            "<revision>2 &lt;page&gt;</revision>",
            "end",
            "byte 138 <page><title>B</title>",
            "end",
            "byte 167 <page><title>U</title>",
            "<revision>3</revision>",
            "byte 167 another page starts first",
            "byte 211 <page><title>C</title>",
            "byte 211 it ends inside a revision",
            "stray",
            "byte 251 <page><title>D</title><redirect <page><title>Dt=1 />",
            "large",
            "<revision>6</revision>",
            "end",
            "byte 421 its head is above the limit (max_page_bytes)",
            "byte 534 <page><title>I</title>",
            "<revision>8</revision>",
            "end",
            "stray",
            "stray",
            "stray",
            "byte 656 the dump ends first",
        ]
    );
    for size in 1..DUMP.len() {
        assert_eq!(
            pieces(DUMP.as_bytes(), size, DUMP.len(), true),
            whole,
            "{size}"
        );
    }
}

#[test]
fn every_cut_gives_each_page_to_one_side() {
    let dump = DUMP.as_bytes();
    let mut whole = pieces(dump, dump.len(), dump.len(), true);
    whole.sort();
    for cut in 0..=dump.len() {
        for size in [1, 3, 7, 64, 1000] {
            let mut both = pieces(dump, size, cut, cut > 0);
            for piece in pieces(&dump[cut..], size, dump.len(), cut == 0) {
                // Locations of the second part count from the cut.
                both.push(
                    match piece.strip_prefix("byte ").and_then(|p| p.split_once(' ')) {
                        Some((byte, rest)) => {
                            format!("byte {} {rest}", byte.parse::<usize>().unwrap() + cut)
                        }
                        None => piece,
                    },
                );
            }
            // A stray tag in a page that is cut is reported before or after the events of the page.
            both.sort();
            assert_eq!(both, whole, "{cut} {size}");
        }
    }
}

#[test]
fn a_gap_drops_the_page_it_cuts() {
    let mut scanner = PageScanner::new(LIMIT, true);
    let here = Location::Block { block: 4, byte: 0 };
    scanner.push(b"x<page></title><revision>1", here, true);
    assert!(matches!(scanner.next_piece(), Some(Piece::Head { .. })));
    assert_eq!(scanner.next_piece(), None);
    assert!(!scanner.idle());
    assert_eq!(scanner.gap(), Some(here.advance(1)));
    assert_eq!(scanner.gap(), None);
    assert!(scanner.idle());
    scanner.push(b"</revision></page><pa", here, true);
    assert_eq!(scanner.next_piece(), None);
    assert!(!scanner.idle());
    assert_eq!(scanner.gap(), None);
    scanner.push(b"ge><page>B</title></page>", here, true);
    assert!(matches!(
        scanner.next_piece(),
        Some(Piece::Head {
            bytes: b"<page>B</title>",
            ..
        })
    ));
    assert_eq!(scanner.next_piece(), Some(Piece::End));
    assert_eq!(scanner.next_piece(), None);
}

#[test]
fn a_long_piece_in_small_chunks_is_not_read_again() {
    let mut scanner = PageScanner::new(8 << 20, true);
    let here = Location::File { byte: 0 };
    scanner.push(b"<page></title><revision>", here, true);
    assert!(scanner.next_piece().is_some());
    let chunk = b"some text without an end, &lt; and so on, one line after another\n";
    for _ in 0..100_000 {
        scanner.push(chunk, here, true);
        assert_eq!(scanner.next_piece(), None);
    }
    scanner.push(b"</revision></page>", here, true);
    let Some(Piece::Revision(bytes)) = scanner.next_piece() else {
        panic!("no revision");
    };
    assert_eq!(bytes.len(), 10 + 100_000 * chunk.len() + 11);
}
