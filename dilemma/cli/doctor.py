"""``dilemma doctor``."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dilemma.studies.doctor import Call, Installation


def command(
    agent: Annotated[str | None, typer.Option(metavar="MODEL", help="Make one cheap call to this model.")] = None,
    api_base: Annotated[str | None, typer.Option(metavar="URL", help="Endpoint of the model.")] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show versions, extras, where packages come from and which keys are present; try a model."""
    import asyncio
    import json

    from dilemma.settings import read_settings
    from dilemma.studies.doctor import call_once, look_around

    settings = read_settings().with_endpoint(api_base)
    found = look_around(settings)
    call = asyncio.run(call_once(agent, settings)) if agent else None
    if json_:
        print(json.dumps({**found.model_dump(mode="json"), "call": call and call.model_dump(mode="json")}, indent=2))
    else:
        for line in [*_installation(found), *(_call(call) if call else [])]:
            print(line)
    if found.shadowed or (call and call.error):
        sys.exit(1)


def _installation(found: "Installation") -> list[str]:
    lines = [f"{name:15} {version}" for name, version in found.versions.items()]
    for extra, lacks in found.extras.items():
        lines.append(f"extra {extra:9} {'lacks ' + ', '.join(lacks) if lacks else 'installed'}")
    lines += [f"package {name:17} {folder}" for name, folder in found.packages.items()]
    lines += [f"stray: {stray}" for stray in found.strays]
    lines += [f"key {name} is {state}" + ("" if state == "set" else ": a missing key") for name, state in _keys(found)]
    return lines


def _keys(found: "Installation") -> list[tuple[str, str]]:
    return list(found.keys.items()) or [("of any provider", "not set")]


def _call(call: "Call") -> list[str]:
    from dilemma.cli.safe import clipped, visible

    can = call.capabilities
    supported = f"tools {_yes(can.tools)}, schema {can.schema_}, seed {_yes(can.seed)}"
    lines = [
        f"model {visible(call.model)} is {visible(call.identity)}",
        f"taken to support: {supported}, temperature {_yes(can.temperature)}",
    ]
    if call.error or call.reply is None:
        return [*lines, f"call failed: {visible(call.error or '')}"]
    reply = call.reply
    seconds = f" in {reply.timing.latency_s:.2f} s" if reply.timing else ""
    said = visible(" ".join(reply.text.split()))
    lines.append(
        f"answered{seconds} as {visible(reply.model or 'a model without a name')}: {clipped(said, 200) or '(no text)'}"
    )
    if can.tools:
        lines.append("seen: the tool was called" if call.called_tool else "seen: the tool was offered and not called")
    if reply.omitted:
        lines.append(f"left out, for the model does not take it: {', '.join(reply.omitted)}")
    tokens = f"{reply.usage.prompt_tokens} + {reply.usage.completion_tokens} tokens" if reply.usage else "not counted"
    price = "no known price" if reply.cost is None else f"${reply.cost:.6f}"
    return [*lines, f"cost: {tokens}, {price}; fingerprint {visible(reply.fingerprint or 'none')}"]


def _yes(value: bool) -> str:
    return "yes" if value else "no"
