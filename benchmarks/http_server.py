"""An OpenAI-compatible server on loopback, as lean as Python allows, for the benchmark; a process of its own.

``python http_server.py NAME ARGUMENTS`` prints its port. The first part of the path is the latency in milliseconds, so
that ``http://127.0.0.1:PORT/200/v1`` answers after 200 ms. A model named ``agent`` calls the tool NAME where tools are
offered, else gives an action in words; any other answers as an environment.
"""

import asyncio
import json
import sys
from typing import Any

ACTION = '{"reasoning": "The register comes first.", "action": "record_review", "parameters": {"note": "seen"}}'
ANSWER = {"observation": "The entry is recorded and the queue is unchanged.", "state_patch": {}}


def message(body: dict[str, Any]) -> dict[str, Any]:
    """What the model asked for in ``body`` says."""
    if body["model"] != "agent":
        return {"content": json.dumps({**ANSWER, "state_patch": patch(body)})}
    if not body.get("tools"):
        return {"content": ACTION}
    made = {"name": sys.argv[1], "arguments": sys.argv[2]}
    return {"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": made}]}


def patch(body: dict[str, Any]) -> dict[str, Any]:
    """The state patch that the reply's schema asks for; empty where there is no schema."""
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
    properties = schema.get("properties", {}).get("state_patch", {}).get("properties", {})
    return {name: value["const"] for name, value in properties.items() if "const" in value}


def completion(body: dict[str, Any]) -> bytes:
    """The whole HTTP answer to ``body``."""
    said = message(body)
    reason = "tool_calls" if "tool_calls" in said else "stop"
    made = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "system_fingerprint": "fp_1",
        "choices": [{"index": 0, "finish_reason": reason, "message": {"role": "assistant", **said}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }
    text = json.dumps(made).encode()
    return b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(text), text)


class Connection(asyncio.Protocol):
    """One client's connection, kept alive; a request is answered once its latency has passed."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: Any = transport
        self.buffer = b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, found, rest = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return
        headers = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        if b"expect" in headers:
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        if len(rest) >= int(headers.get(b"content-length", 0)):
            self.buffer = b""
            self.answer(float(head.split(b"/", 2)[1].split(b" ")[0]) / 1000, rest)

    def answer(self, latency_s: float, body: bytes) -> None:
        made = completion(json.loads(body))
        if latency_s:
            asyncio.get_running_loop().call_later(latency_s, self.send, made)
        else:
            self.send(made)

    def send(self, made: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(made)


async def main() -> None:
    """Serve until killed."""
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
