"""The two-model loop in dilemma: scripted models on both sides, everything validated and stored; one JSON line."""

import asyncio
import json
import sys
import tempfile
import time
from random import Random

import dilemma
from dilemma_kernel.models.instances import instance
from dilemma_kernel.models.scripted import ScriptedModel
from dilemma_kernel.records import ChatReply, ChatRequest, Scenario, ToolCall


def players(scenario: Scenario) -> tuple[ScriptedModel, ScriptedModel]:
    """An agent that takes one A+ helper for ever, and an environment model that answers as the scenario declares."""
    helper = next(a for a in scenario.core.actions if a.track == "aligned" and not a.terminal)
    arguments = instance(helper.parameters, Random(0))
    call = ToolCall(name=helper.name, arguments=arguments, raw=json.dumps(arguments), call_id="call_1")
    move = ChatReply(text="The register comes first.", calls=(call,), finish="tool_calls", cost=0.0)
    answer = json.dumps({"observation": "The entry is recorded.", "state_patch": helper.effects})

    async def agent(_: ChatRequest) -> ChatReply:
        await asyncio.sleep(0)
        return move

    async def environment(_: ChatRequest) -> str:
        await asyncio.sleep(0)
        return answer

    return ScriptedModel(agent, name="bench/agent"), ScriptedModel(environment, name="bench/environment")


async def main(episodes: int, turns: int, concurrency: int) -> None:
    """Run and print CPU and wall seconds."""
    scenario = dilemma.load_pack("starter").scenarios[0]
    agent, environment = players(scenario)
    with tempfile.TemporaryDirectory() as folder:
        await dilemma.simulate(agent, environment, scenarios=scenario, turns=2, store=f"{folder}/warm.db")
        cpu, wall = time.process_time(), time.perf_counter()
        study = await dilemma.simulate(
            agent,
            environment,
            scenarios=scenario,
            episodes=episodes,
            turns=turns,
            concurrency=concurrency,
            store=f"{folder}/bench.db",
        )
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        total = study.report().total
    assert total.labels["stalling"] == episodes, total
    assert total.faults == 0
    print(json.dumps({"cpu": cpu, "wall": wall}))


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:4])))
