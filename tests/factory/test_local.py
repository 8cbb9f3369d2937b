"""The model path with a real small model in process: it runs to its end and reports the yield that it earns."""

from pathlib import Path

import pytest

from dilemma_kernel.errors import UnknownModelError
from dilemma_kernel.models import ModelConfig, resolve
from scenario_factory.generation import generate_pack, settings_for
from scenario_factory.library import load_domain
from scenario_factory.lineage import MemoryLineage
from scenario_factory.presets import PRESETS
from scenario_factory.teams import team_of

pytest.importorskip("xllamacpp")


@pytest.mark.slow
async def test_a_small_model_writes_and_judges_to_the_end(tmp_path: Path) -> None:
    try:
        model = resolve("local/smollm2", ModelConfig())
    except UnknownModelError:
        pytest.skip("the weights are not installed")
    default = PRESETS["default"]
    stages = {stage: rule.model_copy(update={"rounds": 1}) for stage, rule in default.stages.items()}
    rules = default.model_copy(update={"max_tokens": 700, "stages": stages})
    domain, lineage = load_domain("healthcare"), MemoryLineage()
    settings = settings_for(
        domain, seed=1, writer=model.name, discriminator=model.name, preset=rules, most_candidates=1
    )
    team = team_of(rules, writer=model, discriminator=model)
    try:
        report = await generate_pack(settings, domain, team, lineage, tmp_path / "p")
    finally:
        await model.aclose()
    assert report.attempted == report.accepted + report.rejected == 1
    assert report.crashed == 0
    assert report.yield_rate in {0.0, 1.0}
    assert report.usage.completion_tokens > 0
    assert (tmp_path / "p").exists() == (report.accepted > 0)
    assert lineage.all()[-1].decision in {"accept", "reject"}
