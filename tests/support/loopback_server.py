"""A scriptable, counting, OpenAI-compatible server on loopback that can misbehave in every way we know of.

::

    with LoopbackServer(text("hello"), status(429, retry_after="1"), text("again")) as server:
        ...  # point a client at server.url; answers come in order, the last one repeats
        assert server.count == 3

A script may also be one function from ``Received`` to ``Answer``. It runs in the server's thread.
"""

import asyncio
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

Json = dict[str, Any]


@dataclass(frozen=True)
class Received:
    """One request that arrived."""

    number: int
    """From 1."""
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    raw: str
    """The body as it came."""
    body: Json = field(repr=False)
    """The body, parsed; empty where there was none."""


@dataclass(frozen=True)
class Answer:
    """What the server does with one request."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("content-type", "application/json"),)
    delay_s: float = 0.0
    fault: Literal["", "hang", "cut", "half", "drip"] = ""
    """``hang`` never answers, ``cut`` closes at once, ``half`` closes in the middle of the body, ``drip`` sends the
    body byte by byte, a twentieth of a second apart."""

    def after(self, seconds: float) -> "Answer":
        """The same answer, ``seconds`` later."""
        return replace(self, delay_s=seconds)


Script = Callable[[Received], Answer]

USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def completion(message: Json | None = None, *, finish_reason: str | None = "stop", **changes: Any) -> Answer:
    """A chat completion with this message; ``changes`` replace fields of the whole body."""
    choice = {"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", **(message or {})}}
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "served-model",
        "system_fingerprint": "fp_1",
        "choices": [choice],
        "usage": USAGE,
        **changes,
    }
    return Answer(json.dumps(body).encode())


def text(content: str | None, *, finish_reason: str = "stop", **message: Any) -> Answer:
    """A reply in words; ``message`` adds fields such as ``refusal`` or ``reasoning_content``."""
    return completion({"content": content, **message}, finish_reason=finish_reason)


def json_text(value: Any) -> Answer:
    """A reply whose words are JSON."""
    return text(json.dumps(value))


def tool_calls(*calls: tuple[str | None, Any], content: str | None = None) -> Answer:
    """A reply with calls, each (name, arguments); arguments other than text or None are dumped as JSON."""
    made = [
        {
            "id": f"call_{i}",
            "type": "function",
            "function": {"name": n, "arguments": a if a is None or isinstance(a, str) else json.dumps(a)},
        }
        for i, (n, a) in enumerate(calls, 1)
    ]
    return completion({"content": content, "tool_calls": made}, finish_reason="tool_calls")


def status(code: int, /, *, retry_after: str | None = None, message: str = "no", **error: Any) -> Answer:
    """An error in OpenAI's form."""
    extra = (("retry-after", retry_after),) if retry_after is not None else ()
    body = json.dumps({"error": {"message": message, "type": "error", "code": None, **error}}).encode()
    return Answer(body, status=code, headers=(("content-type", "application/json"), *extra))


def html(code: int = 200) -> Answer:
    """A page where JSON was expected."""
    return Answer(b"<html><body>Bad gateway</body></html>", status=code, headers=(("content-type", "text/html"),))


def no_choices() -> Answer:
    return completion(choices=[])


def hang() -> Answer:
    return Answer(fault="hang")


def cut() -> Answer:
    return Answer(fault="cut")


def half_body() -> Answer:
    return replace(text("a reply that breaks off"), fault="half")


def drip() -> Answer:
    return replace(text("a reply that never seems to end"), fault="drip")


class LoopbackServer:
    """The server, in a thread of its own, on a free port of 127.0.0.1.

    Args:
        script: answers in order, the last one repeating; or one function from request to answer.
    """

    def __init__(self, *script: Answer | Script) -> None:
        self.requests: list[Received] = []
        """Everything that was asked, in order of arrival."""
        self.most_in_flight = 0
        """Most requests that were open at the same time."""
        self.url = ""
        """Base URL for OpenAI clients, ending in /v1."""
        self._script = script or (text("ok"),)
        self._played_from = 0
        self._in_flight = 0
        self._serving: set[asyncio.Task[Any]] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def count(self) -> int:
        """Requests that arrived."""
        return len(self.requests)

    @property
    def bodies(self) -> list[Json]:
        return [received.body for received in self.requests]

    def play(self, *script: Answer | Script) -> None:
        """From the next request on, follow this script from its start."""
        self._script = script
        self._played_from = self.count

    def __enter__(self) -> Self:
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"
        return self

    def __exit__(self, *exc: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _start(self) -> asyncio.Server:
        return await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=2**26, backlog=1024)

    async def _stop(self) -> None:
        self._server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)  # a loop alone keeps no task alive
        task.add_done_callback(self._serving.discard)
        try:
            while received := await self._receive(reader):
                self._in_flight += 1
                self.most_in_flight = max(self.most_in_flight, self._in_flight)
                try:
                    going_on = await self._answer(self._choose(received), writer)
                finally:
                    self._in_flight -= 1
                if not going_on:
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _receive(self, reader: asyncio.StreamReader) -> Received | None:
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").strip().split("\r\n")
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        raw = (await reader.readexactly(int(headers.get("content-length", 0)))).decode()
        received = Received(self.count + 1, first.split()[1], headers, raw, json.loads(raw) if raw else {})
        self.requests.append(received)
        return received

    def _choose(self, received: Received) -> Answer:
        step = self._script[min(received.number - 1 - self._played_from, len(self._script) - 1)]
        return step if isinstance(step, Answer) else step(received)

    async def _answer(self, answer: Answer, writer: asyncio.StreamWriter) -> bool:
        """Whether the connection can take another request."""
        if answer.delay_s:
            await asyncio.sleep(answer.delay_s)
        if answer.fault == "hang":
            await asyncio.sleep(3600)
        if answer.fault == "cut":
            return False
        lines = [f"HTTP/1.1 {answer.status} X", *(f"{n}: {v}" for n, v in answer.headers)]
        lines.append(f"content-length: {len(answer.body)}")
        body = answer.body[: len(answer.body) // 2] if answer.fault == "half" else answer.body
        writer.write("\r\n".join([*lines, "", ""]).encode())
        if answer.fault == "drip":
            for byte in body:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0.05)
        else:
            writer.write(body)
        await writer.drain()
        return answer.fault != "half"
