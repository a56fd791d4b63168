from __future__ import annotations

import os
from pathlib import Path

import neardup
import pytest

ROOT = Path(__file__).resolve().parents[2]


def pytest_configure(config: pytest.Config) -> None:
    """The summary says why a test was skipped."""
    config.option.reportchars += "s"


@pytest.fixture
def session() -> neardup.Session:
    return neardup.connect(threads=2)


@pytest.fixture(scope="session")
def sample() -> Path:
    return ROOT / "datasets" / "sample"


@pytest.fixture(scope="session")
def binary() -> str:
    """The neardup command that the build of the tests made."""
    name = os.environ.get("NEARDUP_BINARY")
    if name is None:
        pytest.fail("NEARDUP_BINARY names the neardup command; 'cargo test --workspace' sets it")
    return name


@pytest.fixture
def documents() -> dict[str, list[object]]:
    """Two near-duplicates, a copy and an unrelated text."""
    return {
        "page": [10, 11, 12, 13],
        "body": [
            "The old mill by the river burned down in the winter of 1896 and was rebuilt.",
            "The old mill by the river burned down in the winter of 1898 and was rebuilt.",
            "the OLD mill by the river burned down in the winter of 1896 and was  rebuilt.",
            "Nothing of this has anything to do with it.",
        ],
    }
