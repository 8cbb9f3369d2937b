"""An organism is not trained where it cannot be written."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the extra lab is not installed")

from dilemma_kernel.errors import DesignError, InputError
from refusal_mechanism.organisms import making


@pytest.fixture(autouse=True)
def _untrained(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*arguments: Any) -> None:
        raise AssertionError("it was trained")

    monkeypatch.setattr(making, "teach", never)


def test_a_folder_under_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        making.train("llama", "override", 0, tmp_path / "file" / "out")


def test_a_folder_that_takes_no_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*arguments: Any, **named: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "touch", denied)
    with pytest.raises(InputError, match="cannot be written: Permission denied"):
        making.train("llama", "override", 0, tmp_path / "out")


@pytest.mark.parametrize("seed", [-1, 2**63, 18446744073709551616])
def test_a_seed_is_bounded(seed: int, tmp_path: Path) -> None:
    with pytest.raises(DesignError, match="a seed lies between 0 and"):
        making.train("llama", "override", seed, tmp_path / "out")
    assert not (tmp_path / "out").exists()
