"""HTML tables for notebooks: long texts are shortened, the differences of two texts are marked."""

from __future__ import annotations

import difflib
import html
import re
from typing import Any

import pyarrow

#: Maximum number of characters of a text that are shown.
SHOWN_CHARACTERS = 300

#: Characters that stay on each side of a difference when the rest of a long text is left out.
CONTEXT_CHARACTERS = 60

#: Texts above this number of characters are not compared word by word, which takes quadratic time.
COMPARED_CHARACTERS = 20_000

_STYLE = "text-align: left; vertical-align: top; white-space: pre-wrap"
_DELETED = "background: #ffd7d5; color: #82071e; text-decoration: none"
_INSERTED = "background: #ccffd8; color: #055d20; text-decoration: none"


def table(rows: pyarrow.Table, has_more: bool, known: int | None) -> str:
    """The rows as HTML; differences between the columns `text_a` and `text_b` are marked."""
    names = rows.column_names
    columns = [column.to_pylist() for column in rows.columns]
    cells = {name: [_cell(value) for value in column] for name, column in zip(names, columns)}
    if {"text_a", "text_b"} <= set(names):
        texts = zip(columns[names.index("text_a")], columns[names.index("text_b")])
        marked = [difference(a, b) for a, b in texts]
        cells["text_a"] = [a for a, _ in marked]
        cells["text_b"] = [b for _, b in marked]
    head = "".join(f'<th style="text-align: left">{html.escape(name)}</th>' for name in names)
    body = "".join(
        "<tr>" + "".join(f'<td style="{_STYLE}">{cells[name][row]}</td>' for name in names) + "</tr>"
        for row in range(rows.num_rows)
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" + _count(
        rows.num_rows, has_more, known
    )


def _count(shown: int, has_more: bool, known: int | None) -> str:
    if not has_more:
        return f"<p>{shown} row{'' if shown == 1 else 's'}</p>"
    return f"<p>first {shown} rows" + (f" of {known:,}</p>" if known is not None else "</p>")


def _cell(value: Any) -> str:
    if value is None:
        return "<i>NULL</i>"
    if isinstance(value, float):
        return f"{value:.4g}"
    return html.escape(_shortened(str(value)))


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"


def difference(a: str | None, b: str | None) -> tuple[str, str]:
    """Two texts as HTML, with those words of each marked that the other one lacks."""
    if a is None or b is None or a == b or max(len(a), len(b)) > COMPARED_CHARACTERS:
        return _cell(a), _cell(b)
    words_a, words_b = re.findall(r"\s+|\w+|[^\w\s]", a), re.findall(r"\s+|\w+|[^\w\s]", b)
    parts_a: list[tuple[bool, str]] = []
    parts_b: list[tuple[bool, str]] = []
    matcher = difflib.SequenceMatcher(None, words_a, words_b, autojunk=False)
    for tag, a_from, a_to, b_from, b_to in matcher.get_opcodes():
        parts_a.append((tag != "equal", "".join(words_a[a_from:a_to])))
        parts_b.append((tag != "equal", "".join(words_b[b_from:b_to])))
    return _marked(parts_a, "del", _DELETED), _marked(parts_b, "ins", _INSERTED)


def _marked(parts: list[tuple[bool, str]], tag: str, style: str) -> str:
    """Parts as HTML; of a long text only what is near a difference."""
    is_long = sum(len(text) for _, text in parts) > SHOWN_CHARACTERS
    out, left = "", SHOWN_CHARACTERS
    for index, (differs, text) in enumerate(parts):
        if not text:
            continue
        if left <= 0:
            return out + "…"
        if is_long and not differs and len(text) > 2 * CONTEXT_CHARACTERS:
            before = text[:CONTEXT_CHARACTERS] if index > 0 else ""
            after = text[-CONTEXT_CHARACTERS:] if index + 1 < len(parts) else ""
            text = f"{before} … {after}"
        if differs and len(text) > left:
            text = text[:left] + "…"
        left -= len(text)
        escaped = html.escape(text)
        out += f'<{tag} style="{style}">{escaped}</{tag}>' if differs else escaped
    return out
