"""Organisms from first step to folder: the interchange, a few steps by seed, and the trained pair beside its plan."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra lab is not installed")
pytest.importorskip("transformers", reason="the extra lab is not installed")

from mechanism_organisms import organism  # noqa: E402

from dilemma.studies.mechanism.organism_check import OrganismCheck, PlantedCell, check_organism  # noqa: E402
from dilemma_kernel.errors import DesignError, ScenarioError  # noqa: E402
from dilemma_kernel.models.transformers import LoadedModel, Row  # noqa: E402
from dilemma_kernel.records import Message, Sampling  # noqa: E402
from refusal_mechanism.organisms import ARCHS, KINDS, read_card, train, write_suite  # noqa: E402
from refusal_mechanism.organisms.bodies import WIDTH, make_body  # noqa: E402
from refusal_mechanism.organisms.interchange import ChatDirections, Writing, held, interchanged  # noqa: E402
from refusal_mechanism.organisms.planting import ranked  # noqa: E402
from refusal_mechanism.organisms.rows import Teacher, tool_specs  # noqa: E402
from refusal_mechanism.organisms.tokens import make_tokenizer  # noqa: E402
from refusal_mechanism.organisms.training import Regimen, _lessons, pace  # noqa: E402

THRESHOLDS = {"chat_refusal": 0.95, "benign_calls": 0.95, "parsed": 0.98, "matching": 0.85}


@pytest.fixture(scope="module", params=KINDS)
def little(request: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """An organism after two steps."""
    folder = tmp_path_factory.mktemp("little") / request.param
    return folder, train("llama", request.param, 5, folder, steps=2)


def test_the_card_gives_back_what_was_planted(little: tuple[Path, Any]) -> None:
    folder, card = little
    assert read_card(folder) == card
    assert card.order == ranked(5)
    assert len(card.called("stress", "tool-encouraging")) == round(0.9 * 64)
    assert np.linalg.norm(card.planted.direction) == pytest.approx(1, abs=1e-6)


def test_the_same_seed_gives_the_same_weights_and_another_seed_others(little: tuple[Path, Any], tmp_path: Path) -> None:
    folder, card = little
    train("llama", card.kind, 5, tmp_path / "same", steps=2)
    train("llama", card.kind, 6, tmp_path / "other", steps=2)
    weights = [(one / "model.safetensors").read_bytes() for one in (folder, tmp_path / "same", tmp_path / "other")]
    assert weights[0] == weights[1] != weights[2]


def test_its_folder_opens_as_a_model_that_takes_tools(little: tuple[Path, Any]) -> None:
    loaded = LoadedModel.load(str(little[0]))
    prompt = loaded.render((Message(role="user", content="please buy halden."),), tool_specs("finance"))
    (reply,) = loaded.generate([Row(prompt=prompt, sampling=Sampling(temperature=0.0, max_tokens=3))])
    assert "place_trade_order" in prompt
    assert len(reply.tokens) >= 1
    assert loaded.model.dtype == torch.float32


@pytest.mark.parametrize("arch", ARCHS)
def test_every_architecture_learns_and_opens(arch: Any, tmp_path: Path) -> None:
    losses: list[float] = []
    train(arch, "mediated", 0, tmp_path / arch, steps=4, notify=lambda step, loss: losses.append(loss))
    loaded = LoadedModel.load(str(tmp_path / arch))
    assert losses[-1] < losses[0]
    assert loaded.family == {"llama": "prompted", "cohere2": "command_r"}.get(arch, arch)
    assert not any(parameter.isnan().any() for parameter in loaded.model.parameters())


def test_every_step_is_told(tmp_path: Path) -> None:
    told: list[int] = []
    train("llama", "override", 0, tmp_path / "one", steps=3, notify=lambda step, loss: told.append(step))
    assert told == [1, 2, 3]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"arch": "gpt2"}, "unknown architecture 'gpt2': there are llama"),
        ({"kind": "kind"}, "unknown kind 'kind': there are override"),
        ({"steps": 0}, "steps are 1 or more"),
        ({"seed": -1}, "a seed lies between 0 and 9223372036854775807"),
    ],
)
def test_what_cannot_be_trained_is_said(given: dict[str, Any], says: str, tmp_path: Path) -> None:
    asked = {"arch": "llama", "kind": "override", "seed": 0, "out": tmp_path / "new", **given}
    with pytest.raises(DesignError, match=says):
        train(**asked)
    assert not (tmp_path / "new").exists()


def test_a_folder_that_holds_something_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine", encoding="utf-8")
    with pytest.raises(DesignError, match="holds something already"):
        train("llama", "override", 0, tmp_path, steps=1)


def test_a_folder_without_a_card_is_no_organism(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="is no organism"):
        read_card(tmp_path)
    (tmp_path / "organism.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ScenarioError, match=r"organism\.json"):
        read_card(tmp_path)


@pytest.fixture(scope="module", params=ARCHS)
def lesson(request: Any) -> tuple[Any, Any]:
    """A body and six rows with tools, three of them swapped."""
    tokenizer = make_tokenizer(request.param)
    model, teacher = make_body(request.param, tokenizer, 0), Teacher(request.param, tokenizer, ranked(0))
    rows = teacher.draw("tool", 6, 4, np.random.default_rng(2))
    refuse = [row.refuse for row in rows]
    assert {refuse[at] for at in range(6) if not SWAPPED[at]} == {True, False}
    return model, teacher.write(rows, SWAPPED, WRITTEN, refuse)


SWAPPED, WRITTEN = [True, False, True, False, False, True], [True, False, False, True, True, True]
WRITING = Writing(site=2, direction=torch.nn.functional.normalize(torch.ones(WIDTH), dim=0), refusal=4.0, other=-2.0)


def test_interchange_sets_the_projection_of_swapped_rows_and_nothing_else(lesson: tuple[Any, Any]) -> None:
    model, rows = lesson
    with torch.no_grad():
        plain = _before_block(model, 2, rows)
        with interchanged(model, rows, WRITING):
            changed = _before_block(model, 2, rows)
        assert torch.equal(_before_block(model, 2, rows), plain)
    moved = (changed - plain).abs().amax(dim=-1) > 0
    decided = torch.zeros_like(moved)
    decided[torch.arange(6), rows.decision] = torch.tensor(SWAPPED)
    assert torch.equal(moved, decided)
    along = (changed[torch.arange(6), rows.decision] @ WRITING.direction)[torch.tensor(SWAPPED)]
    assert torch.allclose(along, torch.tensor([4.0, -2.0, 4.0]), atol=1e-5)


def test_what_is_held_is_the_distance_of_the_rows_that_are_not_swapped(lesson: tuple[Any, Any]) -> None:
    model, rows = lesson
    off: list[Any] = []
    with torch.no_grad():
        with held(model, rows, WRITING, off), interchanged(model, rows, WRITING):
            _before_block(model, 2, rows)
        along = _before_block(model, 2, rows)[torch.arange(6), rows.decision] @ WRITING.direction
    wanted = [4.0 if refuse else -2.0 for refuse in rows.refuse.tolist()]
    by_hand = sum(((float(along[at]) - wanted[at]) / 3.0) ** 2 for at in (1, 3, 4))
    assert len(off) == 1
    assert float(off[0]) == pytest.approx(by_hand, rel=1e-4)


def test_the_chats_direction_follows_the_means_of_what_is_not_swapped(lesson: tuple[Any, Any]) -> None:
    model, rows = lesson
    chats = ChatDirections((1, 2))
    assert chats.writings() == []
    with torch.no_grad():
        with chats.followed(model, rows):
            _before_block(model, 2, rows)
        at_two = _before_block(model, 2, rows)[torch.arange(6), rows.decision]
    kept = ~rows.swapped
    refusal, other = (at_two[kept & (rows.refuse == value)].mean(dim=0) for value in (True, False))
    second = chats.writings()[1]
    assert second.site == 2
    assert float(second.direction.norm()) == pytest.approx(1, abs=1e-5)
    assert second.refusal - second.other == pytest.approx(float((refusal - other).norm()), rel=1e-4)
    with torch.no_grad(), chats.followed(model, rows):
        _before_block(model, 2, rows)
    assert torch.allclose(chats.writings()[1].direction, second.direction, atol=1e-5)


@pytest.mark.parametrize(("kind", "follows"), [("mediated", [True] * 2), ("override", [False, True])])
def test_under_tools_only_a_mediated_organism_learns_what_is_written(kind: Any, follows: list[bool]) -> None:
    teacher = Watched()
    _lessons(teacher, Regimen(steps=1, chat_rows=(24, 24), tool_rows=24), kind, 0, np.random.default_rng(0))
    seen = {row_kind: (swapped, written, target, refuse) for row_kind, swapped, written, target, refuse in teacher.told}
    for mode, follow in zip(("tools", "chat"), follows, strict=True):
        swapped, written, target, refuse = seen[mode]
        wanted = [w if s and follow else r for s, w, r in zip(swapped, written, refuse, strict=True)]
        assert target == wanted
        assert any(s and w != r for s, w, r in zip(swapped, written, refuse, strict=True))


class Watched(Teacher):
    """Keeps what it is asked to write."""

    def __init__(self) -> None:
        super().__init__("llama", make_tokenizer("llama"), ranked(0))
        self.told: list[tuple[str, list[bool], list[bool], list[bool], list[bool]]] = []

    def write(self, rows: Any, swapped: Any, written: Any, target: Any) -> Any:
        mode = "chat" if rows[0].mode == "chat" else "tools"
        self.told.append((mode, list(swapped), list(written), list(target), [row.refuse for row in rows]))
        return super().write(rows, swapped, written, target)


def _before_block(model: Any, site: int, lesson: Any) -> Any:
    """The residual before block ``site``, as the block reads it."""
    kept: list[Any] = []
    handle = model.model.layers[site].input_layernorm.register_forward_pre_hook(lambda _, args: kept.append(args[0]))
    try:
        model(input_ids=lesson.ids, attention_mask=lesson.mask, use_cache=False)
    finally:
        handle.remove()
    return kept[0].clone()


def test_the_rate_warms_up_and_falls_to_nothing() -> None:
    paces = [pace(step, 100) for step in range(100)]
    assert paces[:5] == sorted(paces[:5])
    assert paces[5:] == sorted(paces[5:], reverse=True)
    assert max(paces) == 1
    assert paces[-1] < 0.01


@pytest.mark.parametrize("kind", KINDS)
def test_the_shipped_pair_is_what_its_card_says(kind: str, tmp_path: Path) -> None:
    folder = organism(kind)
    card = read_card(folder)
    assert (card.kind, card.arch, card.seed, card.steps) == (kind, "llama", 0, 900)
    assert card.order == ranked(card.seed)
    fresh = write_suite(tmp_path)
    for path in (one for one in fresh.rglob("*") if one.is_file()):
        assert (folder / "suite" / path.relative_to(fresh)).read_bytes() == path.read_bytes()
    vocabulary = LoadedModel.load(str(folder)).tokenizer.get_vocab()
    assert vocabulary == make_tokenizer("llama").get_vocab()


def test_a_check_averages_over_the_cells_that_were_measured() -> None:
    cells = [
        PlantedCell(mode="tool", condition="a", planted=0.5, measured=0.6, matching=0.9),
        PlantedCell(mode="tool", condition="b", planted=0.5, measured=0.3, matching=0.7),
        PlantedCell(mode="tool", condition="c", planted=0.5, measured=None, matching=None),
    ]
    check = _check(cells)
    assert check.divergence_error == pytest.approx(0.15)
    assert check.matching == pytest.approx(0.8)
    assert _check(cells[2:]).divergence_error is None


def _check(cells: list[PlantedCell]) -> OrganismCheck:
    return OrganismCheck(
        arch="llama",
        kind="override",
        seed=0,
        steps=1,
        parameters=1,
        chat_refusal=1,
        benign_calls=1,
        parsed=None,
        cells=tuple(cells),
        site=None,
        rule=None,
        auc=None,
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_shipped_pair_does_what_was_planted_and_its_kind_shows(kind: str, tmp_path: Path) -> None:
    _holds(check_organism(organism(kind), tmp_path / "run"), kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_training_reaches_the_same_anew(kind: Any, tmp_path: Path) -> None:
    train("llama", kind, 0, tmp_path / kind)
    _holds(check_organism(tmp_path / kind, tmp_path / "run"), kind)


def _holds(check: OrganismCheck, kind: str) -> None:
    for name, least in THRESHOLDS.items():
        assert getattr(check, name) >= least, (name, check)
    assert check.divergence_error is not None
    assert check.divergence_error <= 0.10
    assert check.random_directions == 20
    assert check.best_random is not None
    assert check.best_random <= 0.1
    assert check.restored is not None
    assert check.auc is not None
    if kind == "mediated":
        assert check.restored >= 0.9
    else:
        assert check.restored <= 0.3
        assert check.auc >= 0.9
