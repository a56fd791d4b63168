"""Calls of table functions as SQL, and the columns that they expect."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow

from ._frames import Frame

#: Prefix of the names of private tables and columns.
PRIVATE = "neardup private "

#: The column with the position of a row in its frame.
POSITION = f"{PRIVATE}row"

#: Functions that return rows of their input, or one row for each of them.
ROW_BY_ROW = ("near_duplicates", "deduplicate")

#: Parameters that name the column with what is compared, and that column if the parameter is not given.
_CONTENTS = {"text": "text", "vector": "vector", "signature_column": "signature"}


@dataclass(frozen=True)
class Wanted:
    """The columns that a call expects of a relation."""

    #: The column of ids; None if the call names it, or if its rows need none.
    id: str | None
    #: The column with what is compared.
    content: str
    #: Columns that a frame must have.
    required: tuple[str, ...]
    #: All columns that the call reads.
    used: frozenset[str]

    def table(self, function: str, frame: Frame) -> tuple[pyarrow.Table, bool]:
        """The table of a frame with the position of each row, and whether that is its id."""
        twice = sorted(self.used & frame.repeated)
        if twice:
            raise ValueError(f"{function}: several columns of the frame are called {twice[0]!r}")
        table = frame.table
        position = pyarrow.array(range(table.num_rows), pyarrow.int64())
        for name in self.required:
            if name not in table.column_names:
                columns = ", ".join(table.column_names)
                raise ValueError(f"{function}: the input has no column {name!r}; its columns are: {columns}")
        is_id = self.id is not None and self.id not in table.column_names
        if is_id:
            table = table.append_column(self.id, position)
        return table.append_column(POSITION, position) if function in ROW_BY_ROW else table, is_id


def wanted(columns: Sequence[str], arguments: Mapping[str, object], place: int) -> Wanted:
    """The columns that a call expects of its relation number `place`."""
    suffix = "_b" if place > 0 and "id_b" in columns else ""
    contents = [name for name in _CONTENTS if name in columns]
    if arguments.get("method") == "projection" and "vector" in contents:
        contents = ["vector"]
    fields = names_of(arguments.get(f"fields{suffix}")) or names_of(arguments.get("fields"))
    has_rows = bool(contents or fields) and "id" in columns and (place == 0 or suffix != "")
    is_given = any(arguments.get(name) is not None for name in ("id", f"id{suffix}"))
    names = {
        name: names_of(arguments.get(name + suffix) or arguments.get(name) or _CONTENTS.get(name, name))
        for name in ["id", *contents]
        if name in columns
    }
    others = [column for name in columns for column in names_of(arguments.get(name))]
    others += [*names_of(arguments.get("carry")), *fields]
    kept_by = _kept_by(arguments.get("keep_by"))
    compared = names[contents[0]] if contents else fields
    needed = [*(names["id"] if is_given else []), *compared, *kept_by] if has_rows else []
    return Wanted(
        id=names["id"][0] if has_rows and not is_given else None,
        content=(names[contents[0]] or ["text"])[0] if contents else "value",
        required=tuple(needed),
        used=frozenset([*(column for found in names.values() for column in found), *others, *kept_by]),
    )


def names_of(value: object) -> list[str]:
    """The columns that an argument names: one, several, or none if it is None."""
    if value is None:
        return []
    return [str(name) for name in value] if isinstance(value, (list, tuple)) else [str(value)]


def _kept_by(order: object) -> list[str]:
    """The columns of an order such as 'a desc, length(b)'; a name with a comma is in double quotes."""
    quoted = r'"((?:[^"]|"")*)"'
    call = rf"length\s*\(\s*(?:{quoted}|([^,)]+?))\s*\)"
    key = re.compile(rf"\s*(?:{call}|{quoted}|([^,]+?))\s*(?:\b(?:asc|desc)\s*)?(?:,|\Z)", re.IGNORECASE)
    columns, at = [], 0
    text = str(order or "")
    while at < len(text) and (found := key.match(text, at)):
        columns += [name.replace('""', '"') for name in found.group(1, 3) if name is not None]
        columns += [name for name in found.group(2, 4) if name is not None]
        at = found.end()
    return columns


def written_call(
    function: str, relations: Sequence[str], columns: Sequence[str], arguments: Mapping[str, object]
) -> str:
    """A call of a table function, as written in FROM; arguments that are None are omitted."""
    written = [
        f"{name} => {column(value) if name in columns else _literal(value)}"
        for name, value in arguments.items()
        if value is not None
    ]
    return f"{function}({', '.join([*relations, *written])})"


@contextlib.contextmanager
def named_as_in_python(function: str, arguments: Mapping[str, object]) -> Iterator[None]:
    """Errors of a call name its arguments as they are written in Python, not as in SQL."""
    try:
        yield
    except ValueError as error:
        known = "|".join(arguments)
        text = re.sub(rf"\A{function}: ({known})\b", rf"{function}: \1=", str(error))
        raise ValueError(re.sub(rf"\b({known}) => ", r"\1=", text)) from None


def source(name: str) -> str:
    """A relation argument, as written in FROM, where a quoted path is a quoted name."""
    return name if name.startswith('"') else identifier(name[1:-1].replace("''", "'"))


def identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def column(name: object) -> str:
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
        return "[" + ", ".join(_literal(element) for element in value) + "]"
    return text(str(value))
