"""Any LangChain chat model as the agent under test.

    dilemma simulate --agent python:langchain_agent:make_agent --environment rules --domain legal

Run it from this folder. ``make_agent`` may return ``ChatAnthropic(model=...)`` or any other class of LangChain's; so
that this file runs without a key, it returns a model of its own that always takes the first action it is offered.
"""

import json
from collections.abc import Sequence
from random import Random
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool

import dilemma
from dilemma_kernel.models.instances import instance


class FirstAction(BaseChatModel):
    """A chat model that calls the first tool it is given, with the smallest arguments that its schema allows."""

    @property
    def _llm_type(self) -> str:
        return "first-action"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])

    def _generate(
        self, messages: list[BaseMessage], *args: Any, tools: Sequence[Any] = (), **kwargs: Any
    ) -> ChatResult:
        function = tools[0]["function"]
        arguments = instance(function["parameters"], Random(len(messages)))
        call = {"name": function["name"], "args": arguments, "id": "call_1", "type": "tool_call"}
        said = AIMessage(f"I take {function['name']} with {json.dumps(arguments)}.", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=said)])


def make_agent() -> BaseChatModel:
    """What ``python:langchain_agent:make_agent`` calls."""
    return FirstAction()


def main(store: str = "examples.db") -> None:
    """Run a small study; the agent is named as on the command line."""
    study = dilemma.run("python:langchain_agent:make_agent", "rules", domain="legal", turns=4, store=store)
    report = study.report()
    print(f"labels: {report.total.labels}")


if __name__ == "__main__":
    main()
