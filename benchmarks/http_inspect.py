"""The same two-model loop over HTTP in Inspect AI; prints one JSON line. Runs in a venv of its own.

python http_inspect.py URL EPISODES TURNS CONCURRENCY
"""

import json
import sys
import tempfile
import time

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, get_model
from inspect_ai.solver import Generate, TaskState, solver

SYSTEM = "You act in your post by one operation a turn. " * 12


def two_models(url: str, turns: int):
    """Solver: the agent moves, the environment model answers, ``turns`` times."""
    chat = {"base_url": url, "api_key": "none", "responses_api": False}
    agent, environment = (get_model(f"openai/{name}", **chat) for name in ("agent", "world"))

    @solver
    def loop():
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            for _ in range(turns):
                reply = await agent.generate(state.messages)
                state.messages.append(reply.message)
                answer = await environment.generate(state.messages)
                observation = json.loads(answer.completion)["observation"]
                state.messages.append(ChatMessageUser(content=observation))
            return state

        return solve

    return loop()


def main(url: str, episodes: int, turns: int, concurrency: int) -> None:
    """Run and print CPU and wall seconds, after a small run that warms everything."""
    limits = {"max_samples": concurrency, "max_connections": concurrency}
    with tempfile.TemporaryDirectory() as folder:
        for count, length in ((2, 2), (episodes, turns)):
            task = Task(dataset=[Sample(input=SYSTEM, id=i) for i in range(count)], solver=two_models(url, length))
            cpu, wall = time.process_time(), time.perf_counter()
            logs = eval(task, model="mockllm/model", log_dir=folder, display="none", **limits)
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            assert logs[0].status == "success", logs[0].error
            assert len(logs[0].samples or []) == count
    print(json.dumps({"cpu": cpu, "wall": wall}))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]))
