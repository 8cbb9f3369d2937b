"""Whether the model behind a name changed while a study ran."""

from collections.abc import Sequence

from trajectories import Served


def changed_within(served: Sequence[Served]) -> dict[str, list[Served]]:
    """The models of which a study met several, by the name that they were asked for by.

    A provider that says nothing of itself in some replies has not changed for that.
    """
    known: dict[str, list[Served]] = {}
    for one in served:
        if one.served is not None or one.fingerprint is not None:
            known.setdefault(one.model, []).append(one)
    return {name: several for name, several in known.items() if len(several) > 1}


def change_line(name: str, several: Sequence[Served]) -> str:
    """One line that says what answered to ``name``, and how often."""
    said = [
        f"{' '.join(part for part in (one.served, one.fingerprint) if part)} ({one.replies:,} replies)"
        for one in several
    ]
    return f"{name}: the model that answered changed within the study: {', '.join(said)}."
