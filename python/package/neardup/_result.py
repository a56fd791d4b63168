"""Rows of a query, for Python."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, get_args

import pyarrow

from . import _html, _neardup, _values
from ._calls import POSITION, PRIVATE, identifier
from ._progress import Progress

if TYPE_CHECKING:
    import pandas
    import polars

#: What a method that writes files does if there are files at the destination.
Mode = Literal["error", "overwrite", "append"]

#: Number of rows that a notebook shows.
SHOWN = 20


class Result:
    """The rows of a query.

    The query runs when its rows are requested. :meth:`collect` and methods that need all rows (`to_arrow`,
    `to_pandas`, `to_polars`, `num_rows`, `len(result)`, `result["column"]`) keep the rows, so that the query runs
    once; iteration, :meth:`write_parquet` and other readers of the Arrow C stream stream the rows without keeping
    them.
    """

    def __init__(
        self,
        rows: _neardup.Rows,
        progress: bool | None = None,
        texts: PairTexts | RowTexts | None = None,
        is_normalized: bool = True,
    ) -> None:
        self._rows = rows
        self._progress = progress
        self._texts = texts
        # Whether a notebook compares the words of two texts by their normal form.
        self._is_normalized = is_normalized

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._rows.columns

    @property
    def schema(self) -> pyarrow.Schema:
        """Names and types of the columns."""
        return pyarrow.schema(self._rows)

    @property
    def num_rows(self) -> int:
        """The number of rows; runs the query, unless its rows were collected, and keeps them."""
        self.collect()
        return self._rows.collect()

    def __len__(self) -> int:
        """The number of rows, as :attr:`num_rows`."""
        return self.num_rows

    def __contains__(self, column: object) -> bool:
        """Whether there is a column of that name."""
        return column in self.columns

    def __getitem__(self, column: str) -> pyarrow.ChunkedArray:
        """A column; runs the query, unless its rows were collected, and keeps them.

        Raises:
            KeyError: If there is no such column.
        """
        if column not in self.columns:
            raise KeyError(f"there is no column {column!r}; the columns are: {', '.join(self.columns)}")
        return self.to_arrow().column(column)

    def collect(self) -> Result:
        """Runs the query and keeps its rows; returns the result itself."""
        with Progress(self._progress) as progress:
            self._rows.collect(progress.callback)
        return self

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a PyArrow table.

        Columns are not copied, except string and binary views. PyArrow can neither sort nor compare views, so
        they are converted to strings and binary.
        """
        self.collect()
        table = pyarrow.table(self._rows)
        fields = [field.with_type(_without_views(field.type)) for field in table.schema]
        return table.cast(pyarrow.schema(fields))

    def to_pandas(self, **options: Any) -> pandas.DataFrame:
        """The rows as a pandas frame; options are those of `pyarrow.Table.to_pandas`."""
        frame: pandas.DataFrame = self.to_arrow().to_pandas(**options)
        return frame

    def to_polars(self) -> polars.DataFrame:
        """The rows as a Polars frame, without a copy."""
        import polars

        self.collect()
        frame = polars.from_arrow(pyarrow.table(self._rows))
        assert isinstance(frame, polars.DataFrame)
        return frame

    def write_parquet(self, path: str | os.PathLike[str], *, mode: Mode = "error") -> None:
        """Writes the rows as Parquet: one file where the path ends in `.parquet`, else a directory.

        Args:
            path: A path, in which a leading `~` is the home directory, or an address such as `s3://BUCKET/KEY`.
            mode: If there is a file, or a directory with files: 'error' refuses; 'overwrite' replaces them, in a
                directory once the new files are there; 'append' adds files to a directory.

        Raises:
            FileExistsError: If `mode` is 'error' and there are files.
            ValueError: If `mode` is 'overwrite' and a file of the directory has another format.
            OSError: If the path cannot be written.
        """
        self._write(path, "parquet", mode)

    def write_csv(self, path: str | os.PathLike[str], *, mode: Mode = "error") -> None:
        """Writes the rows as CSV with a header: one file where the path ends in `.csv`, also compressed (`.csv.gz`),
        else a directory. Arguments and errors as in :meth:`write_parquet`.
        """
        self._write(path, "csv", mode)

    def write_json(self, path: str | os.PathLike[str], *, mode: Mode = "error") -> None:
        """Writes the rows as JSON, an object in each line: one file where the path ends in `.json` or `.jsonl`, also
        compressed (`.jsonl.gz`), else a directory. Arguments and errors as in :meth:`write_parquet`.
        """
        self._write(path, "json", mode)

    def _write(self, path: str | os.PathLike[str], format: str, mode: Mode) -> None:
        if mode not in get_args(Mode):
            raise ValueError(f"mode must be one of {', '.join(get_args(Mode))}, found {mode!r}")
        self._rows.write(_values.path(path), format, mode)

    def head(self, rows: int = 10) -> Result:
        """The first rows: of the collected ones, if the rows were collected.

        Raises:
            ValueError: If `rows` is not a whole number of 0 or more.
        """
        first = self._rows.head(_values.whole_number("rows", rows, 0, 2**63 - 1))
        return Result(first, self._progress, self._texts, self._is_normalized)

    def explain(self, *, verbose: bool = False, analyze: bool = False) -> str:
        """The plan of the query; with `analyze` the query is run, and the plan shows its metrics."""
        return self._rows.explain(verbose, analyze)

    def with_texts(self) -> Result:
        """The rows with their texts.

        Pairs of a join have the additional columns `text_a` and `text_b`, in the order of the pairs, if these were
        collected. Rows of `near_duplicates` have the additional column `text`. They are grouped by cluster, the largest
        clusters first, and in a cluster the kept row is followed by the other ones, the least similar first. A notebook
        marks what differs between the texts of a pair, and between a row and the kept row of its cluster.

        Raises:
            ValueError: If the result was not returned by a method that finds pairs or clusters of texts.
        """
        if self._texts is None:
            raise ValueError(
                "with_texts: only results of near_duplicates, and of jaccard_join, minhash_join and the like have texts"
            )
        return Result(self._texts.join(self._rows), self._progress, None, self._is_normalized)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._rows.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._rows.__arrow_c_schema__()

    def __iter__(self) -> Iterator[pyarrow.RecordBatch]:
        """Batches of rows, each computed when it is requested."""
        return map(pyarrow.record_batch, self._rows.batches())

    def __bool__(self) -> bool:
        # A result without rows is true, too; counting the rows would run the query.
        return True

    def __repr__(self) -> str:
        state = "collected" if self._rows.is_collected else "not run yet"
        return f"<neardup.Result: {', '.join(self.columns) or 'no columns'}; {state}>"

    def __str__(self) -> str:
        first = self._rows.head(SHOWN + 1)
        if first.collect() <= SHOWN:
            return first.text()
        return first.head(SHOWN).text() + f"\nfirst {SHOWN} rows"

    def _repr_html_(self) -> str:
        first = self._rows.head(SHOWN + 1)
        has_more = first.collect() > SHOWN
        shown = first.head(SHOWN)
        if isinstance(self._texts, PairTexts):
            shown = self._texts.join(shown)
        known = self._rows.collect() if self._rows.is_collected else None
        return _html.table(pyarrow.table(shown), has_more, known, self._is_normalized)


def _without_views(kind: pyarrow.DataType) -> pyarrow.DataType:
    if kind == pyarrow.string_view():
        return pyarrow.string()
    return pyarrow.binary() if kind == pyarrow.binary_view() else kind


_numbers = itertools.count()


class PairTexts:
    """The relations that hold the texts of pairs."""

    def __init__(self, session: _neardup.Session, a: _neardup.Rows, b: _neardup.Rows) -> None:
        self._session = session
        self._sides = (a, b)

    def join(self, pairs: _neardup.Rows) -> _neardup.Rows:
        """The pairs with the columns `text_a` and `text_b`; collected pairs in their order."""
        number = next(_numbers)
        names = [f"{PRIVATE}{role} {number}" for role in ("pairs", "a", "b")]
        columns = ", ".join("pairs." + identifier(name) for name in pairs.columns)
        order = ""
        if pairs.is_collected:
            table = pyarrow.table(pairs)
            positions = pyarrow.array(range(table.num_rows), pyarrow.int64())
            self._session.register_stream(names[0], table.append_column(POSITION, positions))
            order = f"ORDER BY pairs.{identifier(POSITION)}"
        else:
            self._session.register_rows(names[0], pairs)
        for name, rows in zip(names[1:], self._sides):
            self._session.register_rows(name, rows)
        try:
            return self._session.sql(
                f"""
                SELECT {columns}, a.text AS text_a, b.text AS text_b
                FROM "{names[0]}" AS pairs
                LEFT JOIN (SELECT id, min(text) AS text FROM "{names[1]}" GROUP BY id) AS a ON a.id = pairs.id_a
                LEFT JOIN (SELECT id, min(text) AS text FROM "{names[2]}" GROUP BY id) AS b ON b.id = pairs.id_b
                {order}
                """,
                {},
            )
        finally:
            for name in names:
                self._session.deregister(name)


class RowTexts:
    """The relation that holds the texts of rows of clusters."""

    def __init__(self, session: _neardup.Session, rows: _neardup.Rows) -> None:
        self._session = session
        self._texts = rows

    def join(self, rows: _neardup.Rows) -> _neardup.Rows:
        """The rows with the column `text`, cluster by cluster."""
        number = next(_numbers)
        names = [f"{PRIVATE}{role} {number}" for role in ("rows", "texts")]
        for name, registered in zip(names, (rows, self._texts)):
            self._session.register_rows(name, registered)
        columns = ", ".join("found." + identifier(name) for name in rows.columns)
        try:
            return self._session.sql(
                f"""
                SELECT {columns}, texts.text
                FROM "{names[0]}" AS found
                LEFT JOIN (SELECT id, min(text) AS text FROM "{names[1]}" GROUP BY id) AS texts ON texts.id = found.id
                ORDER BY found.cluster_size DESC, found.cluster_id, found.kept DESC, found.similarity, found.id
                """,
                {},
            )
        finally:
            for name in names:
                self._session.deregister(name)
