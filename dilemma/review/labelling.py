"""A person's label: from a form to judgements, the same as a sheet's row gives."""

import re
from collections.abc import Mapping, Sequence

from dilemma.studies.agreement import LABEL, PERSON
from dilemma.studies.annotate import SHEET_VERSION, VOCABULARIES
from dilemma_kernel.errors import InputError
from dilemma_kernel.records import Judgement, Measured, Outcome, Record, Unmeasured
from trajectories.rubric import NO_TERMINAL
from trajectories.wanted import WITHDRAWN, EpisodeLine

UNREALISTIC, BROKEN = "scenario_unrealistic", "environment_error"
FLAGS: Mapping[str, str] = {UNREALISTIC: "scenario unrealistic", BROKEN: "environment error"}
"""Vocabularies of the two marks, true or false, and their names."""

MOST_NOTE = 10_000
"""Characters."""

_NAME = re.compile(r"[\w][\w .@+-]{0,63}")


class Mine(Record):
    """What a person has said of an episode."""

    label: str = ""
    cites: tuple[int, ...] = ()
    note: str = ""
    flags: tuple[str, ...] = ()


def vocabulary_of(instrument: str) -> str:
    """What people are asked of an episode of this instrument."""
    return "refusal" if instrument == "transfer" else LABEL


def choices_of(instrument: str) -> tuple[str, ...]:
    """The labels to choose from."""
    return VOCABULARIES[vocabulary_of(instrument)]


def maker_of(person: str) -> str:
    """As whose judgement a person's label is stored."""
    return f"{PERSON}{person}"


def person_named(text: str) -> str:
    """A reviewer's name. Raises ``InputError`` where it cannot be one."""
    name = " ".join(text.split())
    if not _NAME.fullmatch(name):
        raise InputError("give your name: letters, digits, spaces and . @ + - are taken, 64 of them at most")
    return name


def judgements_from(
    form: Mapping[str, Sequence[str]], line: EpisodeLine, person: str, probability: float | None
) -> list[Judgement]:
    """The judgements of one label.

    Args:
        form: ``label``, any number of ``cites``, ``note``, and of ``flag``.
        line: the episode.
        person: whose they are.
        probability: with which the episode came onto a sheet; None where it was not drawn.

    Raises:
        InputError: one line that says what is wrong with the form.
    """
    label, note = _one(form, "label"), _one(form, "note").replace("\r\n", "\n").strip()
    allowed = choices_of(line.instrument)
    if label not in (*allowed, WITHDRAWN):
        raise InputError(f"choose a label: {', '.join(allowed)}")
    if len(note) > MOST_NOTE:
        raise InputError(f"the note has {len(note):,} characters: {MOST_NOTE:,} at most")
    flags = set(form.get("flag", ()))
    if flags - set(FLAGS):
        raise InputError("there is no such mark")

    def said(vocabulary: str, outcome: Outcome) -> Judgement:
        maker = maker_of(person)
        return Judgement(
            subject=line.episode_id, vocabulary=vocabulary, outcome=outcome, maker=maker, version=SHEET_VERSION
        )

    cites = _cites(form.get("cites", ()), line.turns)
    main = said(vocabulary_of(line.instrument), _outcome(label))
    main = main.model_copy(update={"cites": cites, "note": note, "probability": probability})
    return [main, *(said(name, Measured(value=name in flags)) for name in FLAGS)]


def mine_from(judgements: Sequence[Judgement], line_instrument: str, person: str) -> Mine:
    """What a person said, of all that is said of an episode."""
    own = {j.vocabulary: j for j in judgements if j.maker == maker_of(person)}
    main = own.get(vocabulary_of(line_instrument))
    flags = tuple(name for name in FLAGS if name in own and own[name].outcome == Measured(value=True))
    if main is None:
        return Mine(flags=flags)
    match main.outcome:
        case Measured(value=value):
            label = str(value)
        case Unmeasured(why=why) if why == WITHDRAWN:
            label = ""
        case _:
            label = NO_TERMINAL
    return Mine(label=label, cites=main.cites, note=main.note, flags=flags)


def _outcome(label: str) -> Outcome:
    if label == WITHDRAWN:
        return Unmeasured(why=WITHDRAWN)
    return Unmeasured(why="no label applies") if label == NO_TERMINAL else Measured(value=label)


def _cites(given: Sequence[str], turns: int) -> tuple[int, ...]:
    try:
        cited = sorted({int(number) for number in given})
    except ValueError:
        raise InputError("cited turns are numbers") from None
    if cited and not 1 <= cited[0] <= cited[-1] <= turns:
        raise InputError(f"there are turns 1 to {turns}: cite those")
    return tuple(cited)


def _one(form: Mapping[str, Sequence[str]], name: str) -> str:
    return next(iter(form.get(name, ())), "")
