"""The two-model loop in bare LangGraph, nothing stored or validated; prints one JSON line."""

import asyncio
import json
import sys
import time
from typing import TypedDict

from langgraph.graph import END, START, StateGraph

ACTION = '{"reasoning": "The register comes first.", "action": "record_review", "parameters": {"note": "seen"}}'
ANSWER = '{"observation": "The entry is recorded and the queue is unchanged.", "state_patch": {}}'


class Loop(TypedDict):
    """What the graph carries."""

    messages: list[str]
    turn: int


async def ask(text: str) -> str:
    """A model that always answers ``text``."""
    await asyncio.sleep(0)
    return text


async def agent(state: Loop) -> dict[str, object]:
    """One move."""
    return {"messages": [*state["messages"], await ask(ACTION)]}


async def environment(state: Loop) -> dict[str, object]:
    """One answer."""
    observation = json.loads(await ask(ANSWER))["observation"]
    return {"messages": [*state["messages"], observation], "turn": state["turn"] + 1}


async def main(episodes: int, turns: int, concurrency: int) -> None:
    """Run and print CPU and wall seconds."""
    graph = StateGraph(Loop)
    graph.add_node("agent", agent)
    graph.add_node("environment", environment)
    graph.add_edge(START, "agent")
    graph.add_edge("agent", "environment")
    graph.add_conditional_edges("environment", lambda state: "agent" if state["turn"] < turns else END)
    compiled = graph.compile()
    gate = asyncio.Semaphore(concurrency)

    async def episode() -> None:
        async with gate:
            await compiled.ainvoke({"messages": ["begin"], "turn": 0}, {"recursion_limit": 2 * turns + 5})

    await compiled.ainvoke({"messages": ["begin"], "turn": 0}, {"recursion_limit": 2 * turns + 5})
    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*(episode() for _ in range(episodes)))
    print(json.dumps({"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}))


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:4])))
