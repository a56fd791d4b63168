"""Statements, parameters, tables and errors."""

from __future__ import annotations

import datetime
import decimal
import subprocess
import sys
import threading

import neardup
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest


def rows(result: neardup.Result) -> list[dict[str, object]]:
    return result.to_arrow().to_pylist()


def test_a_query_runs_when_its_rows_are_asked_for(session):
    result = session.sql("SELECT 1 AS one, 'a' AS letter")
    assert result.columns == ["one", "letter"]
    assert repr(result) == "<neardup.Result: one, letter; not run yet>"
    assert rows(result) == [{"one": 1, "letter": "a"}]
    assert repr(result) == "<neardup.Result: one, letter; collected>"
    assert result.num_rows == 1


def test_statements_without_rows_run_at_once(session, tmp_path):
    session.sql("CREATE TABLE numbers AS SELECT * FROM (VALUES (1), (2)) AS v (n)")
    assert session.tables() == ["numbers"]
    session.sql("SET neardup.threshold = 0.5")
    path = tmp_path / "numbers.parquet"
    copied = session.sql(f"COPY numbers TO '{path}'")
    assert path.exists()
    assert rows(copied) == [{"count": 2}]
    assert "numbers" in repr(session)


def test_statements_are_read_as_sql_reads_them(session):
    pairs = "(VALUES (1, 1, true), (1, 2, true), (1, 2, false)) AS t (a, b, c)"
    differing = session.sql(f"SELECT a, b FROM {pairs} WHERE a IS DISTINCT FROM b AND c")
    assert rows(differing) == [{"a": 1, "b": 2}]
    with pytest.raises(ValueError, match="EXCEPT ALL is not supported"):
        session.sql("SELECT 1 EXCEPT ALL SELECT 1")
    with pytest.raises(ValueError, match="a call runs one statement, found 2"):
        session.sql("SELECT 1; SELECT 2")
    with pytest.raises(ValueError, match="there is no statement in the text"):
        session.sql(" ")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3),
        (2**63 - 1, 2**63 - 1),
        (2**63, 2**63),
        (2**64 - 1, 2**64 - 1),
        (np.int64(-7), -7),
        (pd.NA, None),
        (True, True),
        (0.25, 0.25),
        ("it's", "it's"),
        (None, None),
        (b"\x00\xff", b"\x00\xff"),
        ([1, 2], [1, 2]),
        (datetime.date(2024, 2, 29), datetime.date(2024, 2, 29)),
        (decimal.Decimal("1.50"), decimal.Decimal("1.50")),
    ],
)
def test_parameters_have_values(session, value, expected):
    assert rows(session.sql("SELECT $v AS v", v=value)) == [{"v": expected}]


def test_parameters_without_a_value_of_sql_are_named(session):
    for value in [2**64, -(2**63) - 1]:
        with pytest.raises(ValueError, match=r"parameter \$v: a whole number must be in \[-2\*\*63, 2\*\*64 - 1\]"):
            session.sql("SELECT $v", v=value)
    for value in [object(), [1, "a"], "\ud800"]:
        with pytest.raises(ValueError, match=r"parameter \$v: "):
            session.sql("SELECT $v", v=value)


def test_parameters_of_table_functions(session, documents):
    session.register("docs", documents)
    call = "SELECT * FROM jaccard_join(docs, id => page, text => body, threshold => $t, shingle => 'char:5')"
    assert session.sql(call, t=0.99).num_rows == 1
    assert session.sql(call, t=0.7).num_rows == 3


def test_errors_are_of_the_right_kind(session, documents, tmp_path):
    session.register("docs", documents)
    with pytest.raises(ValueError, match="no column 'text'; its columns are: page, body"):
        session.sql("SELECT * FROM jaccard_join(docs, id => page)")
    with pytest.raises(ValueError, match=r"minhash_join: threshold= must be a number in \(0, 1\], found 2"):
        session.minhash_join("docs", threshold=2)
    with pytest.raises(ValueError, match=r"near_duplicates: vector= needs method='projection'"):
        session.near_duplicates("docs", id="page", text="body", vector="body")
    with pytest.raises(ValueError, match=r"minhash_join: threshold must be a number in \(0, 1\], found 2"):
        session.sql("SELECT * FROM minhash_join(docs, threshold => 2)")
    with pytest.raises(ValueError, match="there is no argument 'treshold'"):
        session.sql("SELECT * FROM minhash_join(docs, treshold => 0.8)")
    with pytest.raises(ValueError, match="two pairs of parentheses"):
        session.sql("SELECT * FROM jaccard_join(SELECT 1)")
    with pytest.raises(ValueError, match="SELEC"):
        session.sql("SELEC 1")
    with pytest.raises(FileNotFoundError, match="none.parquet: no such file"):
        session.register("none", tmp_path / "none.parquet")
    with pytest.raises(FileNotFoundError, match="none.parquet: no such file"):
        session.minhash_join(str(tmp_path / "none.parquet"))
    with pytest.raises(TypeError, match="expected a data frame.*found builtins.int"):
        session.register("number", 3)
    with pytest.raises(TypeError):
        session.minhash_join("docs", treshold=0.8)
    with pytest.raises(ValueError, match="Divide by zero"):
        session.sql("SELECT 1 / (n - n) FROM (VALUES (1)) AS v (n)").collect()
    with pytest.raises(ValueError, match=r"no value is given for \$v"):
        session.sql("SELECT $v")
    with pytest.raises(ValueError, match=r"\$v"):
        session.sql("SELECT $v + $w", w=1)
    (tmp_path / "broken.parquet").write_bytes(b"not a table")
    with pytest.raises(Exception, match="broken.parquet"):
        session.register("broken", tmp_path / "broken.parquet")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"threads": 0}, r"threads must be a whole number in \[1, 65536\], found 0"),
        ({"threads": -1}, r"threads must be a whole number in \[1, 65536\], found -1"),
        ({"threads": 1.5}, r"threads must be a whole number in \[1, 65536\], found 1.5"),
        ({"threads": True}, r"threads must be a whole number in \[1, 65536\], found True"),
        ({"threads": 10**30}, r"threads must be a whole number in \[1, 65536\], found 10"),
        ({"memory_limit": "much"}, "memory_limit: 'much' is not a size"),
        ({"memory_limit": 1.5}, r"memory_limit must be a whole number in \[1, .*found 1.5"),
        ({"memory_limit": -1}, r"memory_limit must be a whole number in \[1, .*found -1"),
        ({"temp_limit": "much"}, "temp_limit: 'much' is not a size"),
        ({"temp_limit": 0}, r"temp_limit must be a whole number in \[1, .*found 0"),
        ({"step_timeout": -1}, r"step_timeout must be a number of seconds in \(0, .*found -1"),
        ({"step_timeout": float("nan")}, r"step_timeout must be a number of seconds in \(0, .*found nan"),
        ({"scratch": "/tmp"}, "scratch: only a session on a cluster"),
        ({"token_file": "/tmp/token"}, "token_file: only a session on a cluster"),
        ({"url": "http://somewhere"}, "^url http://somewhere: must be df://HOST:PORT"),
        ({"url": 5}, "^url must be df://HOST:PORT, found 5"),
        ({"url": "df://127.0.0.1:1", "memory_limit": "1G"}, "memory_limit: .*option of each executor"),
        ({"url": "df://127.0.0.1:1", "temp_limit": 1 << 30}, "temp_limit: .*option of each executor"),
    ],
)
def test_arguments_of_connect_are_checked(arguments, message):
    with pytest.raises(ValueError, match=message):
        neardup.connect(**arguments)


def test_messages_name_arguments_and_not_options_of_the_command(tmp_path):
    for arguments, name in [
        ({"temp_dir": tmp_path / "none"}, "temp_dir"),
        ({"url": "df://127.0.0.1:1", "token_file": tmp_path / "none"}, "token_file"),
    ]:
        with pytest.raises(FileNotFoundError, match=name) as raised:
            neardup.connect(**arguments)
        assert "--" not in str(raised.value)


def test_arguments_of_connect_are_accepted():
    assert neardup.connect(threads=1, memory_limit=1 << 30).sql("SELECT 1").collect() is not None
    assert neardup.connect(memory_limit="none").sql("SELECT 1").collect() is not None


def test_a_closed_session_refuses_calls(documents):
    with neardup.connect(threads=1) as session:
        session.register("docs", documents)
        result = session.sql("SELECT * FROM docs")
    assert session.tables() == []
    with pytest.raises(ValueError, match="the session is closed"):
        session.sql("SELECT 1")
    with pytest.raises(ValueError, match="the session is closed"):
        session.jaccard_join(documents, id="page", text="body")
    assert len(result) == 4


FORKED = """
import multiprocessing, neardup
before = neardup.connect(threads=2)
{query}

def work(_):
    found = []
    for call in [lambda: before.sql("SELECT 1").num_rows, lambda: before.register("t", {{"a": [1]}}), neardup.connect]:
        try:
            found.append(call())
        except RuntimeError as error:
            found.append(str(error))
    return [str(value) for value in found]

with multiprocessing.get_context("fork").Pool(1) as pool:
    print(*pool.map(work, [0])[0], sep="\\n")
"""


@pytest.mark.parametrize("query", ["", "before.sql('SELECT 1').collect()"])
def test_a_forked_process_does_not_hang(query):
    script = FORKED.format(query=query)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and len(lines) == 3, done.stderr
    if query:
        assert all("multiprocessing.get_context('spawn')" in line for line in lines)
    else:
        assert lines == ["1", "None", "<neardup.Session: tables none>"]


def test_errors_of_data_are_value_errors(session, tmp_path):
    twice = {"id": [1, 1, 2], "text": ["one two three", "four five six", "seven"]}
    for call in [session.jaccard_join, session.minhash_join, session.near_duplicates, session.deduplicate]:
        with pytest.raises(ValueError, match="the id 1 has two different texts"):
            call(twice).collect()
    ragged = {"id": [1, 2, 3], "vector": [[1.0, 0.0], [0.5], [1.0, 0.1]]}
    for call in [session.cosine_join, session.projection_join]:
        with pytest.raises(ValueError, match="vectors of . and of . numbers cannot be compared"):
            call(ragged).collect()
    with pytest.raises(ValueError, match="must be finite, found NaN at position 2"):
        session.cosine_join({"id": [1, 2], "vector": [[1.0, float("nan")], [0.0, 1.0]]}).collect()
    (tmp_path / "words.vec").write_bytes(b"1 2\na\xff 1 2\n")
    with pytest.raises(ValueError, match="line 2: the word .* is not UTF-8"):
        session.word_vectors(str(tmp_path / "words.vec")).collect()
    with pytest.raises(ValueError, match="the id 1 has two different texts"):
        pa.table(session.jaccard_join(twice))
    with pytest.raises(ValueError, match="the id 1 has two different texts"):
        for _ in session.jaccard_join(twice):
            pass


def broken_texts() -> dict[str, pa.Array]:
    """Columns with the bytes FF FE, which are not UTF-8, in row 1."""
    offsets = lambda kind: pa.py_buffer(pa.array([0, 3, 5], kind).buffers()[1])
    data = pa.py_buffer(b"abc\xff\xfe")
    plain = pa.StringArray.from_buffers(2, offsets(pa.int32()), data)
    view = pa.array(["abc", "def"], pa.string_view()).buffers()[1].to_pybytes().replace(b"def", b"\xff\xfe!")
    return {
        "string": plain,
        "large string": pa.LargeStringArray.from_buffers(2, offsets(pa.int64()), data),
        "view": pa.Array.from_buffers(pa.string_view(), 2, [None, pa.py_buffer(view)]),
        "cut character": pa.StringArray.from_buffers(2, offsets(pa.int32()), pa.py_buffer("abÄx".encode())),
        "list": pa.ListArray.from_arrays([0, 1, 2], plain),
        "dictionary": pa.DictionaryArray.from_arrays([0, 1], plain),
        "slice": pa.concat_arrays([pa.array(["zero"]), plain]).slice(1),
    }


@pytest.mark.parametrize("kind", broken_texts())
def test_texts_that_are_not_utf8_are_refused(session, kind):
    with pytest.raises(ValueError, match="column 'text': .* is not UTF-8"):
        session.register("docs", pa.table({"id": [1, 2], "text": broken_texts()[kind]}))


def test_bytes_below_rows_without_a_value_are_ignored(session):
    valid = pa.py_buffer(b"\x01")
    texts = pa.StringArray.from_buffers(
        2, pa.py_buffer(pa.array([0, 3, 5], pa.int32()).buffers()[1]), pa.py_buffer(b"abc\xff\xfe"), valid
    )
    session.register("docs", pa.table({"text": texts}))
    assert session.sql("SELECT text FROM docs").to_arrow()["text"].to_pylist() == ["abc", None]


def test_temporary_files_have_a_place_and_a_limit(tmp_path):
    with pytest.raises(Exception, match="nowhere"):
        neardup.connect(temp_dir=tmp_path / "nowhere")
    texts = "SELECT repeat(md5(value::text), 8) AS t FROM generate_series(1, 300000)"
    query = f"SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY t) AS n FROM ({texts}))"
    limits = {"threads": 1, "memory_limit": "64M", "temp_dir": tmp_path}
    with pytest.raises(Exception, match="raise temp_limit"):
        neardup.connect(**limits, temp_limit="1M").sql(query).collect()
    assert neardup.connect(**limits).sql(query).collect() is not None
    assert list(tmp_path.iterdir()) == []


def test_names_are_kept_as_they_are(session):
    session.register('my "Table"', {"Id": [1, 2], "Text": ["one two three four"] * 2})
    assert session.tables() == ['my "Table"']
    assert session.jaccard_join('my "Table"', id="Id", text="Text").num_rows == 1
    session.register('my "Table"', {"x": [1]})
    assert rows(session.sql('SELECT * FROM "my ""Table"""')) == [{"x": 1}]
    assert session.deregister('my "Table"')
    assert not session.deregister('my "Table"')


def test_a_table_that_is_missing_is_explained(session):
    with pytest.raises(ValueError, match="there is no table 'docs'; the tables are: none"):
        session.sql("SELECT * FROM docs")
    session.register("Docs", {"a": [1]})
    session.register("other", {"a": [1]})
    with pytest.raises(ValueError, match='no table \'docs\'; .*write its name in double quotes: "Docs"'):
        session.sql("SELECT * FROM Docs")
    with pytest.raises(ValueError, match="there is no table 'none'; the tables are: Docs, other"):
        session.sql("SELECT * FROM (SELECT * FROM none) AS n")


def test_data_of_a_call_leaves_no_table_behind(session, documents):
    pairs = session.jaccard_join(documents, id="page", text="body")
    with pytest.raises(ValueError):
        session.jaccard_join(documents, id="page", text="bodi")
    assert session.tables() == []
    assert pairs.num_rows == 1


def test_sessions_are_apart_and_may_be_used_at_once(documents):
    sessions = [neardup.connect(threads=1) for _ in range(4)]
    counts: list[int] = []

    def work(number: int, session: neardup.Session) -> None:
        session.register("docs", documents)
        session.register(f"own_{number}", documents)
        for _ in range(5):
            counts.append(session.jaccard_join("docs", id="page", text="body").num_rows)

    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(sessions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [1] * 20
    assert sessions[0].tables() == ["docs", "own_0"]


def test_one_session_serves_several_threads(session, documents):
    found: list[int] = []
    call = lambda: found.append(session.minhash_join(documents, id="page", text="body").num_rows)
    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1] * 8
    assert session.tables() == []


def test_dumps_are_tables(session, sample):
    dump = sample / "samplewiki-pages-articles.xml.bz2"
    pages = rows(session.sql(f"SELECT count(*) AS n FROM wiki_pages('{dump}')"))
    session.register("pages", dump)
    assert rows(session.sql("SELECT count(*) AS n FROM pages")) == pages
    assert session.wiki_pages(str(dump)).num_rows == pages[0]["n"]
    plain = session.sql("SELECT page_id AS id, wikitext_to_plain(wikitext, 'en') AS text FROM pages")
    assert session.sentences(plain).num_rows > 300


def test_the_plan_is_shown(session, documents):
    result = session.jaccard_join(documents, id="page", text="body")
    assert "SimilarPairs" in result.explain()
    assert "output_rows=1" in result.explain(analyze=True)
    assert pa.table(result).num_rows == 1
