"""Questions that wait together are answered together, in order, and one that is given up holds up nobody."""

import asyncio
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("torch", reason="the extra lab is not installed")

from dilemma_kernel.models.transformers.gathering import Gatherer


@pytest.fixture
def thread() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as made:
        yield made


async def test_answers_come_back_to_those_who_asked(thread: ThreadPoolExecutor) -> None:
    batches: list[list[int]] = []

    def double(questions: Sequence[int]) -> list[int]:
        batches.append(list(questions))
        return [2 * question for question in questions]

    gatherer = Gatherer(double, thread, 3)
    assert await asyncio.gather(*(gatherer.ask(n) for n in range(8))) == [2 * n for n in range(8)]
    assert batches == [[0, 1, 2], [3, 4, 5], [6, 7]]
    assert await gatherer.ask(9) == 18


async def test_who_comes_while_a_batch_is_answered_is_in_the_next(thread: ThreadPoolExecutor) -> None:
    busy, go = threading.Event(), threading.Event()
    batches: list[list[str]] = []

    def slow(questions: Sequence[str]) -> list[str]:
        batches.append(list(questions))
        busy.set()
        go.wait(10)
        return list(questions)

    gatherer = Gatherer(slow, thread, 8)
    first = asyncio.create_task(gatherer.ask("a"))
    await asyncio.to_thread(busy.wait, 10)
    late = [asyncio.create_task(gatherer.ask(name)) for name in ("b", "c", "d")]
    await asyncio.sleep(0)
    late[1].cancel()
    await asyncio.sleep(0)
    go.set()
    assert await first == "a"
    assert await asyncio.gather(late[0], late[2]) == ["b", "d"]
    assert batches == [["a"], ["b", "d"]]


async def test_an_error_is_told_to_all_of_its_batch_and_to_nobody_else(thread: ThreadPoolExecutor) -> None:
    def fragile(questions: Sequence[int]) -> list[int]:
        if 0 in questions:
            raise ValueError("planted")
        return list(questions)

    gatherer = Gatherer(fragile, thread, 2)
    answers = await asyncio.gather(*(gatherer.ask(n) for n in range(4)), return_exceptions=True)
    assert [str(answer) for answer in answers] == ["planted", "planted", "2", "3"]


def test_it_serves_one_loop_after_another(thread: ThreadPoolExecutor) -> None:
    gatherer = Gatherer(list, thread, 2)
    assert [asyncio.run(gatherer.ask(n)) for n in range(3)] == [0, 1, 2]
