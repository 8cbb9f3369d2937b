"""TransformerLens, installed in a venv of its own, finds the same residuals and ablated logits to 1e-4 in float32."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the extra lab is not installed")
pytest.importorskip("transformers", reason="the extra lab is not installed")

from mechanism_models import tiny_loaded, tiny_prompts  # noqa: E402

from refusal_mechanism import Condition, Edit, Lab  # noqa: E402

LENS = Path(__file__).parents[1] / "support" / "mechanism_lens.py"
WANTED = ("transformer-lens==4.3.0", "torch==2.13.0", "transformers==5.24.0")
PROMPTS = tiny_prompts(5, seed=8)
FLOOR = 1e-4

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def lens_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter with TransformerLens; ``DILEMMA_LENS_PYTHON`` may name one that is there already."""
    if given := os.environ.get("DILEMMA_LENS_PYTHON"):
        return Path(given)
    folder = tmp_path_factory.mktemp("lens")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=120)
    python = folder / "bin" / "python"
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *WANTED]
    try:
        done = subprocess.run(pip, capture_output=True, text=True, timeout=1500)
    except subprocess.TimeoutExpired:
        pytest.skip("TransformerLens was not installed within 25 minutes")
    if done.returncode:
        pytest.skip(f"TransformerLens cannot be installed here: {' '.join(done.stderr.split())[-200:]}")
    return python


@pytest.mark.parametrize("architecture", ["llama", "qwen3"])
def test_transformer_lens_agrees(architecture: str, lens_python: Path, tmp_path: Path) -> None:
    loaded = tiny_loaded(architecture)
    loaded.model.save_pretrained(tmp_path)
    loaded.tokenizer.save_pretrained(tmp_path)
    direction = torch.randn(32, generator=torch.Generator().manual_seed(2))
    direction /= direction.norm()
    torch.save(direction, tmp_path / "direction.pt")
    (tmp_path / "asked.json").write_text(json.dumps([loaded.tokenize(prompt) for prompt in PROMPTS]))
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [lens_python, LENS, tmp_path], capture_output=True, text=True, timeout=600, env=environment, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = torch.load(tmp_path / "found.pt")
    lab, ablated = Lab.open(loaded), Condition(name="ablated", edits=(Edit(operator="ablate", direction=direction),))
    agree(lab.residuals(PROMPTS), found["residuals"])
    logits = torch.empty(len(PROMPTS), found["ablated"].shape[1])
    for _, rows, part in lab.decision_logits(PROMPTS, [ablated]):
        logits[rows] = part
    agree(logits, found["ablated"])
    assert (logits - found["plain"]).abs().max() > 0.1, "ablation does something"


def agree(ours: Any, theirs: Any) -> None:
    off = float((ours - theirs).abs().max())
    assert off <= FLOOR, f"off by {off:.1e}"
