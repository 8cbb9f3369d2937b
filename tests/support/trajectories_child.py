"""A process that fills a study, to be killed: it prints a line for each reply and episode once it is acknowledged.

python trajectories_child.py STORE STUDY EPISODES
"""

import asyncio
import sys

from trajectories_records import judgement, reply, request, study, trajectory

from trajectories import Store, open_store

TURNS = 5
CONCURRENCY = 8


def key(case: str, turn: int) -> str:
    return f"{case}/{turn}"


async def fill(path: str, name: str, episodes: int) -> None:
    """As a study does: ask the log, else the model; store the reply before it is used; store the episode."""
    async with open_store(path) as store:
        await store.save_study(study(name, episodes=episodes), [])
        finished = await store.finished(name)
        cases = iter(case for case in map(str, range(episodes)) if trajectory(name, case).episode_id not in finished)

        async def worker() -> None:
            for case in cases:
                await _episode(store, name, case)

        async with asyncio.TaskGroup() as group:
            for _ in range(CONCURRENCY):
                group.create_task(worker())


async def _episode(store: Store, name: str, case: str) -> None:
    log = store.call_log(name)
    for turn in range(TURNS):
        if await log.get(key(case, turn)) is None:
            await log.put(key(case, turn), request(case, case=case, turn=turn), reply(f"{case}.{turn}"), "gpt-x")
            print("call", key(case, turn), flush=True)
    ended = trajectory(name, case)
    await store.save(ended, [judgement(ended.episode_id)])
    print("episode", ended.episode_id, flush=True)


if __name__ == "__main__":
    asyncio.run(fill(sys.argv[1], sys.argv[2], int(sys.argv[3])))
