"""A store in a folder of the test's own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from trajectories import Store, open_store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "x.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[Store]:
    async with open_store(f"sqlite:///{path}") as opened:
        yield opened
