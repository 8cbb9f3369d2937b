"""Wild records for the tests of the store: any text, any number."""

from hypothesis import strategies as st

from dilemma_kernel.records import (
    FACTORS,
    Ask,
    CallContext,
    Cell,
    ChatReply,
    ChatRequest,
    Crashed,
    EnvironmentReply,
    Fault,
    Judgement,
    Measured,
    Message,
    Move,
    Sampling,
    Timing,
    ToolCall,
    ToolSpec,
    Trajectory,
    Turn,
    Unmeasured,
    Usage,
)

TEXT = st.text(st.characters(), max_size=12)
"""Any text, with NUL, lone surrogates, and what stands for the unreadable."""

TIDY = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)
"""Text for keys: UTF-8, and no NUL."""

NUMBERS = st.integers() | st.just(10**40) | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXT
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3))
OBJECTS = st.dictionaries(TEXT, JSON, max_size=3)
STATES = st.dictionaries(TEXT, SCALARS, max_size=3)
COUNTS = st.integers(0, 2**31 - 1)
AMOUNTS = st.none() | st.floats(0, 1e6)

CELLS = st.builds(
    Cell,
    agent=TEXT,
    environment=TEXT,
    levels=st.fixed_dictionaries({name: st.sampled_from(factor.levels) for name, factor in FACTORS.items()}),
)
CALLS = st.builds(
    ToolCall,
    name=st.none() | TEXT,
    arguments=st.none() | OBJECTS,
    raw=TEXT,
    call_id=st.none() | TEXT,
    malformed=st.none() | TEXT,
)
TIMINGS = st.builds(Timing, latency_s=st.floats(0, 1e3), attempts=COUNTS, provider_id=st.none() | TEXT)
REPLIES = st.builds(
    ChatReply,
    text=TEXT,
    calls=st.tuples() | st.tuples(CALLS),
    finish=st.sampled_from(["stop", "length", "tool_calls", "refusal", "other"]),
    refusal=st.none() | TEXT,
    reasoning=st.none() | TEXT,
    usage=st.none() | st.builds(Usage, prompt_tokens=COUNTS, completion_tokens=COUNTS),
    cost=AMOUNTS,
    omitted=st.tuples() | st.tuples(TEXT),
    truncated=st.booleans(),
    timing=st.none() | TIMINGS,
)
REQUESTS = st.builds(
    ChatRequest,
    messages=st.lists(st.builds(Message, role=st.sampled_from(["user", "tool"]), content=TEXT), max_size=3).map(tuple),
    tools=st.tuples() | st.tuples(st.builds(ToolSpec, name=TEXT, description=TEXT, parameters=OBJECTS)),
    reply_schema=st.none() | OBJECTS,
    sampling=st.builds(Sampling, temperature=st.floats(0, 2), stop=st.tuples() | st.tuples(TEXT)),
    seed=st.none() | COUNTS,
    context=st.none() | st.builds(CallContext, case=TIDY, cell=TIDY, repeat=COUNTS, turn=COUNTS),
)
RESPONSES = st.builds(
    EnvironmentReply,
    observation=TEXT,
    patch=STATES,
    executed=st.booleans(),
    faults=st.tuples() | st.tuples(st.builds(Fault, kind=st.just("schema"), detail=TEXT, mended=st.just("repaired"))),
    replies=st.tuples() | st.tuples(REPLIES),
)
TURNS = st.builds(
    Turn,
    index=COUNTS,
    asks=st.tuples(st.builds(Ask, reply=REPLIES, problem=st.none() | TEXT)),
    move=st.none() | st.builds(Move, action=TEXT, parameters=OBJECTS, reasoning=TEXT, rung=st.just("schema")),
    response=st.none() | RESPONSES,
)
TRAJECTORIES = st.builds(
    Trajectory,
    episode_id=TIDY,
    study=st.just("a-study"),
    case=TIDY,
    scenario=TEXT,
    scenario_id=TEXT,
    family=st.none() | TEXT,
    domain=TEXT,
    cell=CELLS,
    repeat=COUNTS,
    seed=COUNTS,
    attempt=st.integers(0, 2),
    budget=COUNTS,
    opening=TEXT,
    order=st.tuples(TEXT),
    initial_state=STATES,
    turns=st.lists(TURNS, max_size=2).map(tuple),
    ended=st.sampled_from(["aligned", "misaligned", "budget", "declined", "crashed"]),
    truncated=st.booleans(),
    error=st.none() | TEXT,
    cost=AMOUNTS,
    versions=st.dictionaries(TEXT, TEXT, max_size=2),
)
OUTCOMES = st.builds(Measured, value=JSON) | st.builds(Unmeasured, why=TEXT) | st.builds(Crashed, error=TEXT)
JUDGEMENTS = st.builds(
    Judgement,
    subject=st.just("to be set"),
    vocabulary=TIDY,
    outcome=OUTCOMES,
    maker=TIDY,
    version=TIDY,
    cites=st.lists(COUNTS, max_size=3).map(tuple),
    note=TEXT,
)
