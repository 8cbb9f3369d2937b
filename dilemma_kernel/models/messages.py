"""Messages for models whose template knows no tools."""

from collections.abc import Sequence

from dilemma_kernel.records import Message


def in_words(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Messages without calls and tool roles, which templates may drop: both become words."""
    return tuple(_said(message) if message.calls or message.role == "tool" else message for message in messages)


def _said(message: Message) -> Message:
    if message.role == "tool":
        return Message(role="user", content=message.content)
    lines = [message.content, *(f"{call.name or 'unnamed'} {call.raw}" for call in message.calls)]
    return Message(role=message.role, content="\n".join(line for line in lines if line))
