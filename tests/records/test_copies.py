"""A changed copy of a record never keeps what was derived from the old one."""

from scenarios import make_scenario

from dilemma_kernel.records import BASELINE, Cell, ChatRequest, Message


def test_a_copy_of_a_cell_has_a_key_of_its_own() -> None:
    cell = Cell(agent="a", environment="rules", levels=dict(BASELINE))
    assert "stakes=high" in cell.key
    copied = cell.model_copy(update={"levels": {**BASELINE, "stakes": "low"}})
    assert "stakes=low" in copied.key
    assert cell.model_copy().key == cell.key


def test_a_copy_of_a_request_has_a_text_of_its_own() -> None:
    request = ChatRequest(messages=(Message(role="user", content="one"),))
    assert '"one"' in request.json_text
    other = request.model_copy(update={"messages": (Message(role="user", content="two"),)})
    assert '"two"' in other.json_text
    assert other.json_text == other.model_dump_json()


def test_a_copy_of_a_scenario_has_ids_of_its_own() -> None:
    scenario = make_scenario()
    core = scenario.core.model_copy(update={"domain": scenario.core.domain + "x"})
    before = (scenario.core_id, scenario.scenario_id)
    copied = scenario.model_copy(update={"core": core})
    assert copied.core_id != before[0]
    assert copied.scenario_id != before[1]
    assert type(scenario).model_validate(copied.model_dump()).core_id == copied.core_id
