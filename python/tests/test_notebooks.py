"""The notebooks run completely, and show plots and differences."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).resolve().parents[2] / "docs" / "notebooks"


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebook(path):
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    client = NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(NOTEBOOKS)}}
    )
    client.execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    data = [output.data for output in outputs if "data" in output]
    assert sum("image/png" in each for each in data) >= 2
    # A text and its translation differ in every word, so nothing is marked there.
    if path.stem != "cross_lingual":
        assert any("<ins " in each.get("text/html", "") for each in data)


def test_there_are_notebooks():
    assert len(list(NOTEBOOKS.glob("*.ipynb"))) == 5
