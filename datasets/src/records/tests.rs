//! Readers return the same rows at every chunk size.

use std::io::{self, Read};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::common::Result;

use super::input::Buffer;
use super::{Dialect, Header, json, separated};

const CSV: Dialect = Dialect {
    delimiter: b',',
    quote: Some(b'"'),
    skip_lines: 0,
    header: Header::FirstLine,
    all_text: false,
};

/// Bytes that come a few at a time.
struct Slowly(Vec<u8>, usize);

impl Read for Slowly {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.1.min(self.0.len()).min(out.len());
        out[..count].copy_from_slice(&self.0[..count]);
        self.0.drain(..count);
        Ok(count)
    }
}

const SIZES: [usize; 6] = [1, 2, 3, 5, 17, 1 << 20];

fn buffer(text: &[u8], size: usize) -> Buffer {
    Buffer::new(Box::new(Slowly(text.to_vec(), size)))
}

fn json_schema(text: &[u8], size: usize) -> Result<SchemaRef> {
    let fields = json::shape("f", buffer(text, size))?.fields()?;
    Ok(Arc::new(Schema::new(fields)))
}

fn json_rows(text: &str, size: usize, max_rows: usize) -> String {
    let schema = json_schema(text.as_bytes(), size).expect("a schema");
    let columns: Vec<usize> = (0..schema.fields().len()).collect();
    let input = buffer(text.as_bytes(), size);
    let mut rows = json::Rows::open("f", input, &schema, &columns, max_rows).expect("a reader");
    let mut batches = Vec::new();
    while let Some(chunk) = rows.next().expect("rows") {
        assert!(chunk.rows <= max_rows);
        batches.push(RecordBatch::try_new(Arc::clone(&schema), chunk.columns).expect("a batch"));
    }
    let types: Vec<_> = schema
        .fields()
        .iter()
        .map(|field| field.data_type().to_string())
        .collect();
    format!(
        "{}\n{}",
        types.join(" "),
        pretty_format_batches(&batches).expect("a table")
    )
}

#[test]
fn objects_are_found_at_any_size() {
    let rows = [
        r#"{"b": "a \"q\" \\", "a": [{"c": "]},{"}], "n": null}"#,
        r#"{"a": [], "d": {"e": -1.5e3, "f": true}, "b": "\ud83d\ude00 \u00e9"}"#,
        r#"{ }"#,
        r#"{"g\u0041": 18446744073709551615, "b": 12345678901234567890123, "b": "last"}"#,
    ];
    let lines = rows.join("\n\n");
    let wanted = json_rows(&lines, 1 << 20, 100);
    assert!(wanted.contains("| gA"), "{wanted}");
    assert!(
        wanted.contains("last") && wanted.contains("]},{"),
        "{wanted}"
    );
    let texts = [
        lines,
        rows.join(""),
        format!(" [{}] ", rows.join(" ,\n")),
        format!("[{}]\n[]{}[{}]", rows[..2].join(","), rows[2], rows[3]),
    ];
    for text in &texts {
        for size in SIZES {
            for max_rows in [1, 3, 100] {
                assert_eq!(json_rows(text, size, max_rows), wanted, "{size} {text}");
            }
        }
    }
}

/// Characters from U+20000 on, in every other plane, were read as those of the plane before where they were escaped.
#[test]
fn escaped_characters_are_those_that_are_written() {
    for plane in 0..=16_u32 {
        for low in [1, 0x2a6, 0xd7ff, 0xfffd] {
            let character = char::from_u32(plane << 16 | low).expect("a character");
            let written = character.to_string();
            let units = written.encode_utf16();
            let escaped: String = units.map(|unit| format!("\\u{unit:04x}")).collect();
            let json = |text: &str| format!("{{\"a{text}\": [\"{text}\\\\{text}{text}\"]}}\n");
            let plain = match character.is_control() {
                true => json(&escaped),
                false => json(&written),
            };
            let wanted = json_rows(&plain.repeat(3), 1 << 20, 100);
            assert!(
                wanted.contains(character) || character.is_control(),
                "{wanted}"
            );
            for size in SIZES {
                assert_eq!(
                    json_rows(&json(&escaped).repeat(3), size, 2),
                    wanted,
                    "{size} {escaped}"
                );
            }
        }
    }
}

#[test]
fn what_is_no_json_is_an_error_with_its_row() {
    for (text, said) in [
        ("{\"a\":1}\n{\"a\":}", "row 2 (line 2)"),
        ("{\"a\":1,}", "a key in quotes"),
        (
            "{'a':1}",
            "expected a key in quotes, found a single quote; keys and texts are written in double quotes",
        ),
        ("{\"a\":'b'}", "found a single quote; keys and texts"),
        ("{“a”:1}", "found '“'"),
        ("{\"a\":\u{0}}", "found '\\0'"),
        ("{\"a\":[1,]}", "a value"),
        ("{\"a\":1 \"b\":2}", "','"),
        ("{\"a\":01}", "01 is no number"),
        ("{\"a\":1.}", "no number"),
        ("{\"a\":NaN}", "a value"),
        ("{\"a\":nul}", "a value"),
        (
            "{\"a\":\"b\\x\"}",
            "expected an escape such as \\n after a backslash, found 'x'; a backslash in a text is written twice",
        ),
        ("{\"C:\\日\":1}", "after a backslash, found '日'"),
        ("{\"a\":\"\\'\"}", "after a backslash, found a single quote"),
        ("{\"a\":\"\\ud800\"}", "surrogate"),
        ("{\"a\":\"\\u12g4\"}", "hexadecimal"),
        ("{\"a\":\"open", "ends within"),
        ("{\"a\":1}\n[{\"a\":2}", "ends within"),
        ("[{\"a\":1},]", "must be an object"),
        ("[1]", "must be an object"),
        ("\"a\"", "must be an object"),
        (
            "{\"a\":1}\n\n{\"a\":[2]}",
            "row 1 (line 1): 'a' holds a single value, but in f: row 2 (line 3) it holds a list",
        ),
    ] {
        for size in SIZES {
            let error = json_schema(text.as_bytes(), size)
                .expect_err(text)
                .to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
    let deep = format!("{}{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
    let error = json_schema(deep.as_bytes(), 1 << 20)
        .expect_err("too deep")
        .to_string();
    assert!(error.contains("nested deeper"), "{error}");
    for text in [&b"{\"a\":\"\xff\"}"[..], b"{\"\xff\":1}"] {
        let error = json_schema(text, 2).expect_err("not UTF-8").to_string();
        assert!(error.contains("name its encoding"), "{error}");
    }
}

fn separated_rows(text: &str, size: usize, max_rows: usize) -> Result<String> {
    let fields = || separated::Fields::new("f", buffer(text.as_bytes(), size), &CSV);
    let found = separated::columns(fields())?;
    let schema = found.names.iter().zip(&found.types);
    let schema = schema.map(|(name, inferred)| {
        datafusion::arrow::datatypes::Field::new(name, inferred.data_type(), true)
    });
    let schema = Arc::new(Schema::new(schema.collect::<Vec<_>>()));
    let columns: Vec<usize> = (0..schema.fields().len()).collect();
    let mut rows = separated::Rows::open("f", fields(), &schema, &columns, max_rows)?;
    let mut out = String::new();
    while let Some(chunk) = rows.next()? {
        let batch = RecordBatch::try_new(Arc::clone(&schema), chunk.columns)?;
        for row in 0..batch.num_rows() {
            for column in batch.columns() {
                let value = match column.is_null(row) {
                    true => "NULL".to_owned(),
                    false => datafusion::arrow::util::display::array_value_to_string(column, row)?,
                };
                out.push_str(&format!("<{value}>"));
            }
            out.push('\n');
        }
    }
    Ok(out)
}

#[test]
fn values_are_found_at_any_size() {
    let text = "a,\"b,b\",c\r\n1,\"x \"\"y\"\"\r\nz\",\"\"\n\n\r\n2,,\n3,\" , \",last";
    let wanted = "<1><x \"y\"\r\nz><>\n<2><NULL><NULL>\n<3>< , ><last>\n";
    for size in SIZES {
        for max_rows in [1, 100] {
            assert_eq!(
                separated_rows(text, size, max_rows).expect("rows"),
                wanted,
                "{size}"
            );
        }
        for (wrong, said) in [
            ("a,b\n1,2\n1\n", "line 3"),
            ("a,b\n\"1\n\n\",2\n1,2,3\n", "line 5"),
            ("a,b\n1,\"2\n3,4\n", "line 2"),
            (
                "a,a\n",
                "line 1: two columns have the name 'a'; rename one of them in this line; if the file has no header",
            ),
            (
                "a,,\n",
                "two columns have no name; name each column in this line",
            ),
            (
                "7,x,x\n",
                "two columns have the name 'x'; if the file has no header, the option header is false (--no-header)",
            ),
            (
                "# made by x\na,b\n",
                "line 2: the header has 1 column, but this row has more; line 1 is read as the header: lines before the header are left out with the option skip_lines, here at least 1 (--skip-lines 1)",
            ),
            (
                "# one\n# two, three\na,b\n",
                "left out with the option skip_lines, here at least 1 (--skip-lines 1)",
            ),
            (
                "made by x\n\na,b\n",
                "here at least 2 (--skip-lines 2); or write a value with the separator in it in quotes",
            ),
            ("# x, y\na,b,c\n", "line 1 is read as the header"),
            (
                "a\nb\nc,d\n",
                "but this row has more; write a value with the separator in it in quotes",
            ),
            (
                "a;b\n1;2,3\n",
                "more; if ';' separates the values, name it (the option delimiter)",
            ),
            (
                "\"a\";\"b\"\n\"1\";\"x\"\n",
                "column 1 of this row; a quote in a quoted value is written twice; if ';' separates the values, name it",
            ),
            ("\"a\"\t\"b\"\n", "if a tab separates the values"),
            ("\"a\"|b\n", "if '|' separates the values"),
            // A line break within quotes.
            (
                "a;b\n1;\"x\n\";2\n3;\"y\"\n",
                "column 1 of this row; a quote in a quoted value is written twice; if ';' separates the values, name it",
            ),
            (
                "a,\"b\"\"c\":d\n",
                "column 2 of this row; a quote in a quoted value is written twice; if ':' separates",
            ),
        ] {
            let error = separated_rows(wrong, size, 10)
                .expect_err(wrong)
                .to_string();
            assert!(error.contains(said), "{wrong}: {error}");
        }
    }
    assert_eq!(separated_rows("", 1, 1).expect("nothing"), "");
    assert_eq!(separated_rows("a\n", 1, 1).expect("nothing"), "");
}

/// The names of the columns, and the values of the rows.
fn separated_values(text: &str, size: usize, dialect: &Dialect) -> Result<String> {
    let mut fields = separated::Fields::new("f", buffer(text.as_bytes(), size), dialect);
    let mut found = fields.header()?.join("|");
    while let Some(field) = fields.next()? {
        let mark = if field.column == 0 { "\n" } else { "|" };
        found.push_str(mark);
        found.push_str(field.value);
    }
    Ok(found)
}

#[test]
fn dialects_are_read_at_any_size() {
    let unquoted = Dialect {
        delimiter: b'\t',
        quote: None,
        ..CSV
    };
    let numbered = Dialect {
        delimiter: b';',
        header: Header::Numbered,
        ..CSV
    };
    let named = Dialect {
        quote: Some(b'\''),
        header: Header::Names(vec!["x".to_owned(), "y".to_owned()]),
        ..CSV
    };
    let titled = Dialect {
        skip_lines: 2,
        ..CSV
    };
    let untitled = Dialect {
        skip_lines: 1,
        ..numbered.clone()
    };
    for (dialect, text, wanted) in [
        (
            &unquoted,
            "a\tb\n\"x\ty\"\"z\n5'\t\"\r\n",
            "a|b\n\"x|y\"\"z\n5'|\"",
        ),
        (
            &numbered,
            "1;\"a;b\"\n2;c\n",
            "column_1|column_2\n1|a;b\n2|c",
        ),
        (&numbered, "\n\n1\n2\n", "column_1\n1\n2"),
        (&numbered, "", ""),
        (&named, "1,'a,''b'\n2,\"c\"", "x|y\n1|a,'b\n2|\"c\""),
        (&named, "", "x|y"),
        (&titled, "one \"\r\n\ra,b\n1,2", "a|b\n1|2"),
        (&titled, "one,\n\n\na,b\n\"1\n2\",3\n", "a|b\n1\n2|3"),
        (&titled, "one\ntwo", ""),
        (&titled, "one\n\n", ""),
        (&titled, "", ""),
        (&untitled, "x\r1;2\r3;4", "column_1|column_2\n1|2\n3|4"),
    ] {
        for size in SIZES {
            let found = separated_values(text, size, dialect).expect(text);
            assert_eq!(found, wanted, "{size}");
        }
    }
    for (dialect, text, said) in [
        (
            &numbered,
            "1;2\n3\n",
            "line 2: there are 2 columns, but this row has 1",
        ),
        (
            &named,
            "1,2,3\n",
            "line 1: there are 2 columns, but this row has more",
        ),
        (&unquoted, "a\tb\n\"1\n\"\t2\n", "say by which quote"),
        // Lines are those of the file.
        (
            &titled,
            "x\r\n\na,b\n1,2\n3\n",
            "line 5: the header has 2 columns, but this row has 1",
        ),
        (
            &titled,
            "x\ny\nz\na,b\n",
            "line 4: the header has 1 column, but this row has more; line 3 is read as the header: lines before the header are left out with the option skip_lines, here at least 3",
        ),
        (
            &titled,
            "a,b",
            "f: the option skip_lines leaves out 2 lines, but the file has no more than 1",
        ),
    ] {
        let error = separated_values(text, 3, dialect).expect_err(text);
        assert!(error.to_string().contains(said), "{error}");
    }
}
