"""HTML tables for notebooks: long texts are shortened, hidden characters visible, differences of texts marked."""

from __future__ import annotations

import difflib
import html
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

import pyarrow

#: Maximum number of characters of a text that are shown.
SHOWN_CHARACTERS = 300

#: Characters that stay on each side of a difference when the rest of a long text is left out.
CONTEXT_CHARACTERS = 60

#: Texts above this number of characters are not compared word by word, which takes quadratic time.
COMPARED_CHARACTERS = 20_000

#: Characters that a browser does not show, or that change the direction of what follows: those that the command line
#: and its reports make visible. Line breaks and tabs stay.
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]")

_STYLE = "text-align: start; vertical-align: top; white-space: pre-wrap"
_DELETED = "background: #ffd7d5; color: #82071e; text-decoration: none"
_INSERTED = "background: #ccffd8; color: #055d20; text-decoration: none"


def table(rows: pyarrow.Table, has_more: bool, known: int | None, is_normalized: bool = True) -> str:
    """The rows as HTML; differences between the columns `text_a` and `text_b` are marked, and those of the texts of a
    cluster from that of its kept row. Words are compared by their normal form if `is_normalized`.
    """
    names = rows.column_names
    columns = [column.to_pylist() for column in rows.columns]
    cells = {name: [_cell(value) for value in column] for name, column in zip(names, columns)}
    if {"text_a", "text_b"} <= set(names):
        texts = zip(columns[names.index("text_a")], columns[names.index("text_b")])
        marked = [difference(a, b, is_normalized) for a, b in texts]
        cells["text_a"] = [a for a, _ in marked]
        cells["text_b"] = [b for _, b in marked]
    elif {"cluster_id", "kept", "text"} <= set(names):
        clusters, kept, texts_of_rows = (columns[names.index(name)] for name in ("cluster_id", "kept", "text"))
        cells["text"] = _clustered(clusters, kept, texts_of_rows, is_normalized)
    head = "".join(f'<th dir="auto" style="text-align: start">{_escaped(name)}</th>' for name in names)
    body = "".join(
        "<tr>" + "".join(f'<td dir="auto" style="{_STYLE}">{cells[name][row]}</td>' for name in names) + "</tr>"
        for row in range(rows.num_rows)
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" + _count(
        rows.num_rows, has_more, known
    )


def _clustered(
    clusters: Sequence[Any], kept: Sequence[Any], texts: Sequence[Any], is_normalized: bool
) -> list[str]:
    """The texts of rows of clusters, with the words marked that the kept row of the cluster lacks."""
    representatives = {cluster: text for cluster, is_kept, text in zip(clusters, kept, texts) if is_kept}
    return [
        _cell(text)
        if is_kept or not isinstance(text, str)
        else difference(representatives.get(cluster), text, is_normalized)[1]
        for cluster, is_kept, text in zip(clusters, kept, texts)
    ]


def _count(shown: int, has_more: bool, known: int | None) -> str:
    if not has_more:
        return f"<p>{shown} row{'' if shown == 1 else 's'}</p>"
    return f"<p>first {shown} rows" + (f" of {known:,}</p>" if known is not None else "</p>")


def _cell(value: Any) -> str:
    if value is None:
        return "<i>NULL</i>"
    if isinstance(value, float):
        return f"{value:.4g}"
    return _escaped(_shortened(str(value)))


def _escaped(text: str) -> str:
    """Text as HTML, with hidden characters as visible ones."""
    return html.escape(_HIDDEN.sub(_visible, text))


def _visible(found: re.Match[str]) -> str:
    """The picture of a control character, or its code point."""
    number = ord(found.group())
    if number < 0x20:
        return chr(0x2400 + number)
    return "\u2421" if number == 0x7F else f"<U+{number:04X}>"


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"


def difference(a: str | None, b: str | None, is_normalized: bool = True) -> tuple[str, str]:
    """Two texts as HTML, with those words of each marked that the other one lacks. Words are compared by their normal
    form if `is_normalized`, and shown as they are.
    """
    if a is None or b is None or a == b or max(len(a), len(b)) > COMPARED_CHARACTERS:
        return _cell(a), _cell(b)
    words_a, words_b = re.findall(r"\s+|\w+|[^\w\s]", a), re.findall(r"\s+|\w+|[^\w\s]", b)
    parts_a: list[tuple[bool, str]] = []
    parts_b: list[tuple[bool, str]] = []
    keys_a, keys_b = ([_normal(word) if is_normalized else word for word in words] for words in (words_a, words_b))
    matcher = difflib.SequenceMatcher(None, keys_a, keys_b, autojunk=False)
    for tag, a_from, a_to, b_from, b_to in matcher.get_opcodes():
        parts_a.append((tag != "equal", "".join(words_a[a_from:a_to])))
        parts_b.append((tag != "equal", "".join(words_b[b_from:b_to])))
    return _marked(parts_a, "del", _DELETED), _marked(parts_b, "ins", _INSERTED)


def _normal(word: str) -> str:
    """The normal form of a word; that of white space is one blank."""
    if word.isspace():
        return " "
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", word).lower())


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
        escaped = _escaped(text)
        out += f'<{tag} style="{style}">{escaped}</{tag}>' if differs else escaped
    return out
