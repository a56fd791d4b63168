"""Sessions: tables, statements over them, and the table functions as methods."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Union, runtime_checkable

import pyarrow

from . import _neardup, _result
from ._result import PairTexts, Result
from ._table_functions import TableFunctions

if TYPE_CHECKING:
    import pandas


#: Numbers in the names of tables that are registered for one call.
_numbers = itertools.count()


@runtime_checkable
class ArrowStream(Protocol):
    """An object with the Arrow C stream interface: Polars, PyArrow, DuckDB, datafusion and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


#: A relation: a data frame, a table, a reader, a dictionary of columns, a result, the name of a table, or
#: a path or glob of Parquet, CSV, TSV, JSON, text or dump files.
Data = Union[
    ArrowStream, "pandas.DataFrame", Mapping[str, Sequence[Any]], Result, str, "os.PathLike[str]"
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
        scratch: On a cluster: a directory that all processes can read, for tables above 64 MiB.
        token_file: On a cluster: a private file with the secret that its roles require.
        progress: Whether long queries show a progress bar. Default: only in terminals and notebooks.

    Raises:
        ValueError: If an argument is out of range or not allowed.
    """
    if url is None:
        limits = [None if limit is None else str(limit) for limit in (memory_limit, temp_limit)]
        native = _neardup.Session.local(threads, limits[0], temp_dir, limits[1])
    else:
        given = {"memory_limit": memory_limit, "temp_dir": temp_dir, "temp_limit": temp_limit}
        for name, value in given.items():
            if value is not None:
                raise ValueError(f"{name}: on a cluster it is an option of each executor")
        native = _neardup.Session.cluster(url, threads, step_timeout, scratch, token_file)
    return Session(native, progress)


class Session(TableFunctions):
    """Tables, and statements over them. Safe to use from several threads.

    Create it with :func:`connect`. Every method that returns a :class:`Result` is one SQL statement; the result
    is computed when its rows are requested.
    """

    def __init__(self, native: _neardup.Session, progress: bool | None = None) -> None:
        self._native = native
        self._progress = progress

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
        becomes columns as with `reset_index`, unless it is the default `RangeIndex`. A path or a glob is read
        when it is queried.

        Args:
            name: Name of the table, as it is written in SQL between double quotes.
            data: See :data:`Data`.

        Raises:
            TypeError: If `data` has another type.
            FileNotFoundError: If no file matches a path.
        """
        if isinstance(data, Result):
            self._native.register_rows(name, data._rows)
        elif isinstance(data, (str, os.PathLike)):
            self._native.register_files(name, [os.fspath(data)])
        else:
            self._native.register_stream(name, _arrow(data))

    def deregister(self, name: str) -> bool:
        """Removes a table; returns whether it existed."""
        return self._native.deregister(name)

    def tables(self) -> list[str]:
        """Names of the registered tables, sorted."""
        return [name for name in self._native.tables() if not name.startswith(_result.PRIVATE)]

    def __repr__(self) -> str:
        return f"<neardup.Session: tables {', '.join(self.tables()) or 'none'}>"

    def _call(
        self,
        function: str,
        relations: Sequence[Data | None],
        columns: Sequence[str],
        **arguments: object,
    ) -> Result:
        registered: list[str] = []
        names: list[str] = []
        try:
            for relation in relations:
                if relation is None:
                    continue
                names.append(self._relation(relation, registered))
            call = written_call(function, names, columns, arguments)
            rows = self._native.sql(f"SELECT * FROM {call}", {})
            texts = self._texts(rows, names, arguments)
        finally:
            for name in registered:
                self._native.deregister(name)
        return Result(rows, self._progress, texts)

    def _relation(self, data: Data, registered: list[str]) -> str:
        """The relation as an SQL argument; data is registered under a new name, which is added to `registered`."""
        if isinstance(data, (str, os.PathLike)):
            text = os.fspath(data)
            return identifier(text) if self._native.has_table(text) else _text(text)
        name = f"{_result.PRIVATE}{next(_numbers)}"
        self.register(name, data)
        registered.append(name)
        return identifier(name)

    def _texts(
        self, rows: _neardup.Rows, names: Sequence[str], arguments: Mapping[str, object]
    ) -> PairTexts | None:
        """The texts of a function's pairs by id, so that a notebook can show the differences."""
        if not names or not {"id_a", "id_b"} <= set(rows.columns) or "text" not in arguments:
            return None
        sides = []
        for name, suffix in ((names[0], ""), (names[-1], "_b" if len(names) > 1 else "")):
            id, text = (
                _column(arguments.get(column + suffix) or arguments.get(column) or column)
                for column in ("id", "text")
            )
            side = f"SELECT {id} AS id, {text} AS text FROM {_source(name)}"
            sides.append(self._native.sql(side, {}))
        return PairTexts(self._native, sides[0], sides[1])


def written_call(
    function: str, relations: Sequence[str], columns: Sequence[str], arguments: Mapping[str, object]
) -> str:
    """A call of a table function, as written in FROM; arguments that are None are omitted."""
    written = [
        f"{name} => {_column(value) if name in columns else _literal(value)}"
        for name, value in arguments.items()
        if value is not None
    ]
    return f"{function}({', '.join([*relations, *written])})"


def _source(name: str) -> str:
    """A relation argument, as written in FROM, where a quoted path is a quoted name."""
    return name if name.startswith('"') else identifier(name[1:-1].replace("''", "'"))


def identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _column(name: object) -> str:
    return identifier(name) if isinstance(name, str) else _literal(name)


def _literal(value: object) -> str:
    """A value as an SQL literal. Values without one are written as text, which the engine refuses."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and abs(value) < float("inf"):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_column(name) for name in value) + "]"
    return _text(str(value))


def _arrow(data: object) -> object:
    """Data as an object with an Arrow C stream."""
    kind = type(data)
    if kind.__module__.partition(".")[0] == "pandas" and kind.__name__ == "DataFrame":
        return _of_pandas(data)
    if isinstance(data, ArrowStream):
        return data
    if isinstance(data, Mapping):
        return pyarrow.table(dict(data))
    raise TypeError(
        f"expected a data frame, an Arrow table, a dictionary of columns, a result, the name of a table "
        f"or a path, found {kind.__module__}.{kind.__qualname__}"
    )


def _of_pandas(frame: Any) -> pyarrow.Table:
    index = frame.index
    counts = type(index).__name__ == "RangeIndex" and index.name is None and index.start == 0
    table = pyarrow.Table.from_pandas(frame, preserve_index=not (counts and index.step == 1))
    unnamed = f"__index_level_{0}__"
    names = ["index" if name == unnamed and index.nlevels == 1 else name for name in table.column_names]
    names = [
        name.replace("__index_level_", "level_").removesuffix("__") if "__index_level_" in name else name
        for name in names
    ]
    # The engine does not use the metadata of pandas.
    return table.rename_columns(names).replace_schema_metadata(None)
