"""Sessions: tables, statements over them, and the table functions as methods."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Union

import pyarrow
import pyarrow.compute

from . import _calls, _frames, _neardup, _values
from ._calls import PRIVATE
from ._frames import ArrowStream, Frame
from ._result import PairTexts, Result, RowTexts
from ._table_functions import TableFunctions

if TYPE_CHECKING:
    import pandas
    import polars


#: Numbers in the names of tables that are registered for one call.
_numbers = itertools.count()


#: A relation: a data frame, a table, a reader, an iterator of batches, a dictionary of columns, a list of rows as
#: dictionaries, a result, the name of a table, or a path or glob of Parquet, CSV, TSV, JSON, text or dump files. Values
#: without a name, such as a list of texts, a Series or an array, are the column that a method compares.
Data = Union[
    ArrowStream,
    "pandas.DataFrame",
    "pandas.Series[Any]",
    "polars.LazyFrame",
    Mapping[str, Sequence[Any]],
    Sequence[Any],
    Iterator[Any],
    Result,
    str,
    "os.PathLike[str]",
]


def connect(
    url: str | None = None,
    *,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    temp_dir: str | os.PathLike[str] | None = None,
    temp_limit: int | str | None = None,
    step_timeout: float = 600,
    scratch: str | os.PathLike[str] | None = None,
    token_file: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
) -> Session:
    """Opens a session in this process, or on a cluster.

    Args:
        url: The scheduler of a cluster as 'df://HOST:PORT'; None: run in this process.
        threads: Number of threads; on a cluster, number of tasks of a stage. Default: all cores; on a
            cluster 16.
        memory_limit: Memory that operators may hold: bytes, or a text such as '4G' or 'none'. Default: 70 %
            of the memory that is available on the machine or in its control group. Not allowed with `url`:
            executors have their own limits.
        temp_dir: Directory for data that does not fit into memory. Default: that of the system. Not allowed
            with `url`.
        temp_limit: Bytes that temporary files may take, or a text such as '50G'. Default: 5 % of the disk, or
            10 GiB of a large disk, stay free. Not allowed with `url`.
        step_timeout: On a cluster: seconds without a finished task after which a query is sent again.
        scratch: On a cluster: a directory that all processes can read, for tables above 64 MiB and
            rows that are read several times.
        token_file: On a cluster: a private file with the secret that its roles require.
        progress: Whether long queries show a progress bar. Default: only in terminals and notebooks.

    Returns:
        A session; `with connect() as session` closes it at the end.

    Raises:
        ValueError: If an argument is out of range or not allowed.
        RuntimeError: In a process that was forked after this module had run a query.
    """
    if threads is not None:
        threads = _values.whole_number("threads", threads, 1, _values.MAX_THREADS)
    step_timeout = _values.seconds("step_timeout", step_timeout)
    limits = [_values.size("memory_limit", memory_limit), _values.size("temp_limit", temp_limit)]
    temp_dir, scratch, token_file = (
        None if path is None else _values.path(path) for path in (temp_dir, scratch, token_file)
    )
    if url is None:
        for name, option in {"scratch": scratch, "token_file": token_file}.items():
            if option is not None:
                raise ValueError(f"{name}: only a session on a cluster has one; give url")
        native = _neardup.Session.local(threads, limits[0], temp_dir, limits[1])
    else:
        if not isinstance(url, str):
            raise ValueError(f"url must be df://HOST:PORT, found {url!r}")
        given = {"memory_limit": memory_limit, "temp_dir": temp_dir, "temp_limit": temp_limit}
        for name, value in given.items():
            if value is not None:
                raise ValueError(f"{name}: on a cluster it is an option of each executor")
        native = _neardup.Session.cluster(url, threads, step_timeout, scratch, token_file)
    return Session(native, progress)


class Session(TableFunctions):
    """Tables, and statements over them. Safe to use from several threads.

    Create it with :func:`connect`; it is a context manager, which closes the session. Every method that returns a
    :class:`Result` is one SQL statement; the result is computed when its rows are requested.
    """

    def __init__(self, native: _neardup.Session, progress: bool | None = None) -> None:
        self._native = native
        self._progress = progress

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Removes all tables and releases their memory. Results keep what they need; other calls are an error."""
        for name in self._native.tables():
            self._native.deregister(name)
        self._native = _Closed()  # type: ignore[assignment]

    def sql(self, statement: str, /, **parameters: object) -> Result:
        """Runs an SQL statement.

        A query is planned immediately and run when its rows are requested; other statements (CREATE, SET,
        COPY) run immediately.

        Args:
            statement: One statement.
            parameters: Values for its placeholders: ``$name`` takes ``name=value``.

        Raises:
            ValueError: If the statement cannot be planned, with the engine's message.
        """
        return Result(self._native.sql(statement, parameters), self._progress)

    def register(self, name: str, data: Data) -> None:
        """Registers data as a table; replaces a table of the same name.

        Arrow data (Polars, PyArrow, Arrow-backed pandas) is not copied. The index of a pandas frame
        becomes columns as with `reset_index`, unless it is the default `RangeIndex`. Of several columns of one name,
        all but the first get a number, as in `pandas.read_csv`. A path or a glob is read when it is queried.

        Args:
            name: Name of the table, as it is written in SQL between double quotes.
            data: See :data:`Data`. Values without a name become the column `value`.

        Raises:
            TypeError: If `data` has another type.
            ValueError: If a text is not UTF-8, or if a name of the index of a pandas frame is that of a column.
            FileNotFoundError: If no file matches a path.
        """
        if isinstance(data, Result):
            self._native.register_rows(name, data._rows)
        elif isinstance(data, (str, os.PathLike)):
            self._native.register_files(name, [_values.path(data)])
        else:
            self._native.register_stream(name, _frames.frame(data, "value").table)

    def deregister(self, name: str) -> bool:
        """Removes a table; returns whether it existed."""
        return self._native.deregister(name)

    def tables(self) -> list[str]:
        """Names of the registered tables, sorted."""
        return [name for name in self._native.tables() if not name.startswith(PRIVATE)]

    def keep_mask(self, data: Data, /, **arguments: Any) -> Any:
        """For each row of a frame, whether :meth:`deduplicate` keeps it.

        >>> session.keep_mask(["one two three four", "five", "One two three four!"]).to_pylist()
        [True, True, False]

        Args:
            data: A data frame, a table, a list of texts or a Series; not the name of a table or a path, whose rows have
                no order.
            arguments: The arguments of :meth:`deduplicate`.

        Returns:
            A pandas Series with the index of the frame, a Polars Series, or else a PyArrow array.

        Raises:
            TypeError: If the rows of `data` have no order.
        """
        masks: list[Any] = []

        def mask(
            function: str, relations: Sequence[Data | None], columns: Sequence[str], given: Mapping[str, object]
        ) -> Result:
            wanted = _calls.wanted(columns, given, 0)
            frame = self._frame(relations[0], wanted.content, wanted.used)
            kept = self._planned(function, [frame], columns, given, select=[_calls.POSITION])
            positions = kept.to_arrow().column(0).combine_chunks()
            rows = pyarrow.array(range(frame.table.num_rows), pyarrow.int64())
            masks.append(frame.like(pyarrow.compute.is_in(rows, value_set=positions)))
            return kept

        _Forwarded(mask).deduplicate(data, **arguments)
        return masks[0]

    def pairwise_similarity(
        self,
        a: Data,
        b: Data,
        *,
        measure: Literal["jaccard", "edit", "cosine"] = "jaccard",
        shingle: str = "word:3",
        normalize: bool = True,
    ) -> Any:
        """The similarity of each value of a column with the value in the same row of another column.

        >>> session.pairwise_similarity(["one two three"], ["One two three!"]).to_pylist()
        [1.0]

        Args:
            a: A Series, an array or a list of texts; of vectors for the cosine.
            b: As many values of the same kind.
            measure: 'jaccard': of the sets of shingles, as in :meth:`jaccard_join`; 'edit': 1 - edit distance / length
                of the longer text; 'cosine': of vectors.
            shingle: With 'jaccard': 'char:n', 'word:n' or 'space:n'.
            normalize: With texts: whether they are normalised, as in :meth:`jaccard_join`.

        Returns:
            A pandas Series with the index of `a`, a Polars Series, or else a PyArrow array; NULL where a value is NULL.

        Raises:
            ValueError: If the columns differ in length, or an argument is wrong.
        """
        left, right = self._frame(a, "value"), self._frame(b, "value")
        for name, side in (("a", left), ("b", right)):
            if side.table.num_columns != 1:
                raise ValueError(f"{name} must be one column, found {side.table.num_columns} columns")
        if left.table.num_rows != right.table.num_rows:
            raise ValueError(
                f"a and b must have the same length, found {left.table.num_rows} and {right.table.num_rows} values"
            )
        texts = [f"normalize_text({side})" if normalize else side for side in ("a", "b")]
        calls = {
            "jaccard": f"jaccard_similarity({', '.join(texts)}, {_calls.text(shingle)})",
            "edit": f"edit_similarity({', '.join(texts)})",
            "cosine": "cosine_similarity(a, b)",
        }
        if measure not in calls:
            raise ValueError(f"measure must be one of {', '.join(calls)}, found {measure!r}")
        rows = pyarrow.array(range(left.table.num_rows), pyarrow.int64())
        columns = {"a": left.table.column(0), "b": right.table.column(0), "row": rows}
        name = f"{PRIVATE}{next(_numbers)}"
        self._native.register_stream(name, pyarrow.table(columns))
        try:
            query = f"SELECT {calls[measure]} AS similarity FROM {_calls.identifier(name)} ORDER BY row"
            found = Result(self._native.sql(query, {}), self._progress)
        finally:
            self._native.deregister(name)
        return left.like(found.to_arrow().column(0).combine_chunks())

    def __repr__(self) -> str:
        return f"<neardup.Session: tables {', '.join(self.tables()) or 'none'}>"

    def _call(
        self,
        function: str,
        relations: Sequence[Data | None],
        columns: Sequence[str],
        **arguments: object,
    ) -> Result:
        return self._planned(function, relations, columns, arguments)

    def _planned(
        self,
        function: str,
        relations: Sequence[Data | Frame | None],
        columns: Sequence[str],
        arguments: Mapping[str, object],
        select: Sequence[str] | None = None,
    ) -> Result:
        """A call of a table function. Its columns are `select`, or else all but those that were added to a frame; rows
        that belong to rows of a frame come in the order of the frame.
        """
        registered: list[str] = []
        names: list[str] = []
        order = ""
        try:
            for place, data in enumerate(relation for relation in relations if relation is not None):
                if isinstance(data, (str, os.PathLike)):
                    text = os.fspath(data)
                    is_table = self._native.has_table(text)
                    names.append(_calls.identifier(text) if is_table else _calls.text(_values.path(text)))
                    continue
                name = f"{PRIVATE}{next(_numbers)}"
                registered.append(name)
                names.append(_calls.identifier(name))
                if isinstance(data, Result):
                    self._native.register_rows(name, data._rows)
                    continue
                wanted = _calls.wanted(columns, arguments, place)
                used = None if function == "deduplicate" else wanted.used
                frame = self._frame(data, wanted.content, used)
                table, is_numbered = wanted.table(function, frame)
                self._native.register_stream(name, table)
                if function == "deduplicate":
                    select = select or frame.table.column_names
                    order = f"ORDER BY {_calls.identifier(_calls.POSITION)}"
                elif function == "near_duplicates" and is_numbered:
                    order = "ORDER BY id"
                elif function == "near_duplicates":
                    id = _calls.column(arguments.get("id") or "id")
                    order = _in_order_of(names[0], id)
            call = _calls.written_call(function, names, columns, arguments)
            shown = "found.*" if select is None else ", ".join(map(_calls.identifier, select))
            with _calls.named_as_in_python(function, arguments):
                rows = self._native.sql(f"SELECT {shown} FROM {call} AS found {order}", {})
            texts = self._texts(rows, names, arguments)
        finally:
            for name in registered:
                self._native.deregister(name)
        is_normalized = arguments.get("normalize") in (None, True)
        return Result(rows, self._progress, texts, is_normalized)

    def _frame(self, data: Any, column: str, used: frozenset[str] | None = None) -> Frame:
        """Data with an order as a table; see :func:`_frames.frame`."""
        if isinstance(data, Frame):
            return data
        if isinstance(data, (str, os.PathLike)):
            raise TypeError(
                f"expected a data frame or a list of values, found the name {os.fspath(data)!r}: the rows of tables "
                "and files have no order"
            )
        if isinstance(data, Result):
            data = data.to_arrow()
        return _frames.frame(data, column, used)

    def _texts(
        self, rows: _neardup.Rows, names: Sequence[str], arguments: Mapping[str, object]
    ) -> PairTexts | RowTexts | None:
        """The texts of a function's pairs or clusters by id, so that a notebook can show the differences."""
        has_pairs = {"id_a", "id_b"} <= set(rows.columns)
        has_clusters = {"id", "cluster_id", "kept", "similarity", "cluster_size"} <= set(rows.columns)
        if not names or "text" not in arguments or arguments.get("method") == "projection":
            return None
        if not has_pairs and not has_clusters:
            return None
        sides = []
        for name, suffix in ((names[0], ""), (names[-1], "_b" if len(names) > 1 else "")):
            id, texts = (
                _calls.names_of(arguments.get(column + suffix) or arguments.get(column) or column)
                for column in ("id", "text")
            )
            text = ", ".join(_calls.identifier(name) for name in texts)
            text = text if len(texts) == 1 else f"concat_ws('\n\n', {text})"
            side = f"SELECT {_calls.identifier(id[0])} AS id, {text} AS text FROM {_calls.source(name)}"
            sides.append(self._native.sql(side, {}))
        return PairTexts(self._native, sides[0], sides[1]) if has_pairs else RowTexts(self._native, sides[0])


def _in_order_of(frame: str, id: str) -> str:
    """The rest of a query that joins the relation `found` with a frame, whose rows give the order."""
    row = _calls.identifier(_calls.POSITION)
    return (
        f"LEFT JOIN (SELECT {id} AS id, min({row}) AS row FROM {frame} GROUP BY {id}) AS frame "
        "ON frame.id = found.id ORDER BY frame.row"
    )


class _Forwarded(TableFunctions):
    """Methods that check their arguments and hand them to a function."""

    def __init__(
        self,
        to: Callable[[str, Sequence[Data | None], Sequence[str], Mapping[str, object]], Result],
    ) -> None:
        self._to = to

    def _call(
        self,
        function: str,
        relations: Sequence[Data | None],
        columns: Sequence[str],
        **arguments: object,
    ) -> Result:
        return self._to(function, relations, columns, arguments)


class _Closed:
    """Takes the place of a session that was closed."""

    def tables(self) -> list[str]:
        return []

    def __getattr__(self, name: str) -> Any:
        raise ValueError("the session is closed")
