"""Statements, parameters, tables and errors."""

from __future__ import annotations

import datetime
import decimal
import threading

import neardup
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


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3),
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


def test_arguments_of_connect_are_checked():
    with pytest.raises(ValueError, match="memory_limit: 'much' is not a size"):
        neardup.connect(memory_limit="much")
    with pytest.raises(ValueError, match="threads must be at least 1"):
        neardup.connect(threads=0)
    with pytest.raises(ValueError, match="must be df://HOST:PORT"):
        neardup.connect("http://somewhere")
    with pytest.raises(ValueError, match="option of each executor"):
        neardup.connect("df://127.0.0.1:1", memory_limit="1G")
    with pytest.raises(ValueError, match="option of each executor"):
        neardup.connect("df://127.0.0.1:1", temp_limit=1 << 30)
    with pytest.raises(ValueError, match="temp_limit: 'much' is not a size"):
        neardup.connect(temp_limit="much")
    assert neardup.connect(threads=1, memory_limit=1 << 30).sql("SELECT 1").collect() is not None
    assert neardup.connect(memory_limit="none").sql("SELECT 1").collect() is not None


def test_temporary_files_have_a_place_and_a_limit(tmp_path):
    with pytest.raises(Exception, match="nowhere"):
        neardup.connect(temp_dir=tmp_path / "nowhere")
    texts = "SELECT repeat(md5(value::text), 8) AS t FROM generate_series(1, 300000)"
    query = f"SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY t) AS n FROM ({texts}))"
    limits = {"threads": 1, "memory_limit": "64M", "temp_dir": tmp_path}
    with pytest.raises(Exception, match="--temp-limit"):
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
