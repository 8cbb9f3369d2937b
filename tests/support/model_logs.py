"""A call log in memory, and short ways to requests."""

from typing import Any

from dilemma_kernel.records import CallContext, ChatReply, ChatRequest, Message, Sampling


class MemoryLog:
    """Replies by key, kept in a dict; ``events`` tells in which order things happened."""

    def __init__(self) -> None:
        self.replies: dict[str, ChatReply] = {}
        self.requests: dict[str, ChatRequest] = {}
        self.events: list[str] = []
        self.unanswered = 0

    async def get(self, key: str) -> ChatReply | None:
        return self.replies.get(key)

    async def put(self, key: str, request: ChatRequest, reply: ChatReply, model: str) -> ChatReply:
        if key in self.replies:
            return self.replies[key]
        self.replies[key] = reply
        self.requests[key] = request
        self.events.append(f"stored {reply.text}")
        return reply

    async def lost(self, requests: int) -> None:
        self.unanswered += requests


def ask(text: str = "hello", **changes: Any) -> ChatRequest:
    """A request with one user message; ``case`` and the like go to its context."""
    context = {k: changes.pop(k) for k in ("case", "cell", "repeat", "turn", "role", "ask") if k in changes}
    made = {
        "messages": (Message(role="user", content=text),),
        "sampling": Sampling(max_tokens=32),
        "context": CallContext(**{"case": "case", **context}),
    }
    return ChatRequest(**{**made, **changes})
