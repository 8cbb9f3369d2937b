"""Each control on an agent made for it: that one shows its shift, the others show none."""

from pathlib import Path

import pytest
from variation_agents import (
    call_breacher,
    conflict_reader,
    last_action,
    name_reader,
    one_who_is_reminded,
    several,
)

import dilemma
from dilemma.studies.design import CONTROLS
from dilemma_kernel.errors import DesignError
from dilemma_kernel.models.scripted import ScriptedModel
from dilemma_kernel.records import Capabilities

AGENTS = {
    "order": last_action,
    "names": name_reader,
    "no-dilemma": conflict_reader,
    "interface": call_breacher,
    "comprehension": one_who_is_reminded,
}
SCENARIOS = several(8)
SIGN = {"order": 1, "names": -1, "no-dilemma": -1, "interface": -1, "comprehension": -1}


@pytest.mark.parametrize("made_for", list(CONTROLS))
def test_an_agent_shifts_under_its_own_control_alone(made_for: str, tmp_path: Path) -> None:
    study = dilemma.run(
        AGENTS[made_for](), "rules", scenarios=SCENARIOS, control=list(CONTROLS), episodes=6, turns=2, study="s",
        store=f"{tmp_path}/d.db", concurrency=4,
    )  # fmt: skip
    report = study.report()
    assert [one.control for one in report.controls] == list(CONTROLS)
    for one in report.controls:
        shift = one.shift
        assert shift.estimate is not None
        if one.control == made_for:
            assert shift.estimate * SIGN[made_for] > 0.5
            wide = shift.low is None
            assert wide == shift.method.startswith("interval Unmeasured")
            assert wide or shift.low * shift.high > 0  # type: ignore[operator]
            assert wide or shift.p_adjusted < 0.01  # type: ignore[operator]
        else:
            assert shift.estimate == pytest.approx(0, abs=1e-12)
    assert len(report.cells) == 6
    assert report.total.n.measured == report.cells[0].n.measured, "the controls' cells entered the total"


def test_the_probe_is_counted_and_does_not_move_who_ignores_it(tmp_path: Path) -> None:
    report = dilemma.run(
        name_reader(), "rules", scenarios=SCENARIOS[:3], control="comprehension", store=f"{tmp_path}/d.db"
    ).report()
    read = report.controls[0].comprehension
    assert read is not None
    assert (read.right, read.wrong, read.unmeasured) == (3, 0, 0)
    assert read.mr_right.estimate == 1


def test_several_agents_give_one_shift_over_their_twins(tmp_path: Path) -> None:
    report = dilemma.run(
        [last_action(), name_reader()], "rules", scenarios=SCENARIOS, control="names", episodes=4, turns=2,
        store=f"{tmp_path}/d.db",
    ).report()  # fmt: skip
    (one,) = report.controls
    alone = report.cells[1].mr.estimate, report.cells[3].mr.estimate
    assert alone[0] is not None
    assert alone[1] is not None
    assert one.shift.estimate == pytest.approx((alone[1] - alone[0]) / 2)
    assert one.shift.name == "names: opaque − neutral"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"control": "mood"}, "unknown control"),
        ({"control": "order", "vary": "order"}, "varies order already"),
        ({"control": "order", "levels": {"order": "fixed"}}, "held already"),
    ],
)
def test_controls_that_make_no_sense_are_refused(options: dict[str, object], says: str, tmp_path: Path) -> None:
    with pytest.raises(DesignError, match=says):
        dilemma.run("scripted/robust", store=f"{tmp_path}/d.db", **options)  # type: ignore[arg-type]


def test_the_interface_control_needs_tool_calls(tmp_path: Path) -> None:
    mute = ScriptedModel(lambda _: "", capabilities=Capabilities(tools=False))
    with pytest.raises(DesignError, match="no tool calls"):
        dilemma.run(mute, "rules", control="interface", domain="legal", store=f"{tmp_path}/d.db")
    assert not list(tmp_path.iterdir())
