"""Rows of a query, for Python."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow

from . import _html, _neardup
from ._progress import Progress

if TYPE_CHECKING:
    import pandas
    import polars

#: Prefix of the names of private tables.
PRIVATE = "neardup private "

#: Number of rows that a notebook shows.
SHOWN = 20


class Result:
    """The rows of a query.

    The query runs when its rows are requested. :meth:`collect` and methods that need all rows (`to_arrow`,
    `to_pandas`, `to_polars`, `num_rows`) keep the rows, so that the query runs once; iteration,
    :meth:`write_parquet` and other readers of the Arrow C stream stream the rows without keeping them.
    """

    def __init__(
        self,
        rows: _neardup.Rows,
        progress: bool | None = None,
        texts: PairTexts | None = None,
    ) -> None:
        self._rows = rows
        self._progress = progress
        self._texts = texts

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
        # There is no `__len__`: `list(result)` would call it and run the query twice.
        self.collect()
        return self._rows.collect()

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

    def write_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes the rows as Parquet: one file where the path ends in `.parquet`, else a directory.

        Raises:
            OSError: If the path cannot be written.
        """
        self._rows.write_parquet(os.fspath(path))

    def head(self, rows: int = 10) -> Result:
        """The first rows."""
        return Result(self._rows.head(rows), self._progress, self._texts)

    def explain(self, *, verbose: bool = False, analyze: bool = False) -> str:
        """The plan of the query; with `analyze` the query is run, and the plan shows its metrics."""
        return self._rows.explain(verbose, analyze)

    def with_texts(self) -> Result:
        """The pairs of a join with their texts, in the additional columns `text_a` and `text_b`.

        Raises:
            ValueError: If the result was not returned by a method that finds pairs of texts.
        """
        if self._texts is None:
            raise ValueError("with_texts: only results of jaccard_join, minhash_join and the like have texts")
        return Result(self._texts.join(self._rows), self._progress)

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
        if self._texts is not None:
            shown = self._texts.join(shown)
        known = self._rows.collect() if self._rows.is_collected else None
        return _html.table(pyarrow.table(shown), has_more, known)


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
        """The pairs with the columns `text_a` and `text_b`."""
        number = next(_numbers)
        names = [f"{PRIVATE}{role} {number}" for role in ("pairs", "a", "b")]
        for name, rows in zip(names, [pairs, *self._sides]):
            self._session.register_rows(name, rows)
        try:
            return self._session.sql(
                f"""
                SELECT pairs.*, a.text AS text_a, b.text AS text_b
                FROM "{names[0]}" AS pairs
                LEFT JOIN (SELECT id, min(text) AS text FROM "{names[1]}" GROUP BY id) AS a ON a.id = pairs.id_a
                LEFT JOIN (SELECT id, min(text) AS text FROM "{names[2]}" GROUP BY id) AS b ON b.id = pairs.id_b
                """,
                {},
            )
        finally:
            for name in names:
                self._session.deregister(name)
