"""The two-model loop in Inspect AI with its mock model; prints one JSON line. Runs in a venv of its own."""

import json
import sys
import tempfile
import time

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ModelOutput, get_model
from inspect_ai.solver import Generate, TaskState, solver

ACTION = '{"reasoning": "The register comes first.", "action": "record_review", "parameters": {"note": "seen"}}'
ANSWER = '{"observation": "The entry is recorded and the queue is unchanged.", "state_patch": {}}'
SYSTEM = "You act in your post by one operation a turn. " * 12


def mock(text: str):
    """A mock model that always answers ``text``."""
    answer = ModelOutput.from_content("mockllm/model", text)
    return get_model("mockllm/model", custom_outputs=lambda *_: answer, memoize=False)


def two_models(turns: int):
    """Solver: the agent moves, the environment model answers, ``turns`` times."""
    agent, environment = mock(ACTION), mock(ANSWER)

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


def main(episodes: int, turns: int, concurrency: int) -> None:
    """Run and print CPU and wall seconds."""
    task = Task(dataset=[Sample(input=SYSTEM, id=i) for i in range(episodes)], solver=two_models(turns))
    with tempfile.TemporaryDirectory() as folder:
        cpu, wall = time.process_time(), time.perf_counter()
        limits = {"max_samples": concurrency, "max_connections": concurrency}
        logs = eval(task, model="mockllm/model", log_dir=folder, display="none", **limits)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        assert logs[0].status == "success"
        assert len(logs[0].samples or []) == episodes
    print(json.dumps({"cpu": cpu, "wall": wall}))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
