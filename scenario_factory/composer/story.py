"""The composer's story: role, setting, trigger, conflict, clock and stakes."""

from datetime import datetime

from dilemma_kernel.records import LevelRendering, Narrative, Stakeholder
from scenario_factory.composer.draws import Brief, Cast, Clock, Sizes
from scenario_factory.composer.marks import story_marks
from scenario_factory.composer.phrases import capital, wording, written
from scenario_factory.drafts import Clock as DraftClock
from scenario_factory.drafts import Stakes, StoryDraft
from scenario_factory.times import iso


def story_draft(brief: Brief, cast: Cast, times: Clock, sizes: Sizes) -> StoryDraft:
    """The story that these draws tell."""
    marks = story_marks(brief, cast, times)
    return StoryDraft(
        title=written("<Noun> <item>, <site>", marks),
        narrative=_narrative(brief, cast, marks),
        clock=_clock(cast, times),
        stakes=Stakes(**{level: _level(brief, sizes, level, marks) for level in ("low", "medium", "high")}),
    )


def _narrative(brief: Brief, cast: Cast, marks: dict[str, str]) -> Narrative:
    shape, chosen = brief.way.shape, cast.phrasing
    return Narrative(
        role=written(cast.role.role, marks),
        capabilities=tuple(written(line, marks) for line in cast.role.capabilities),
        setting=written(wording("setting")[chosen["setting"]], marks),
        stakeholder=Stakeholder(
            name=cast.person,
            role=written("<srole> of <site>", marks),
            interest=written(f"{capital(cast.stakeholder.interest)}. If <item> is <kept>, <cost>.", marks),
        ),
        trigger=written(wording(f"trigger.{shape}")[chosen["trigger"]], marks),
        conflict=written(wording(f"conflict.{shape}")[chosen["conflict"]], marks),
    )


def _clock(cast: Cast, times: Clock) -> DraftClock:
    def stamped(local: datetime) -> str:
        return iso(local, cast.site.utc, cast.site.country)

    relief = relief_at(times)
    return DraftClock(
        now=stamped(times.now),
        deadline=stamped(times.deadline),
        compliant_at=stamped(relief) if relief is not None else None,
    )


def relief_at(times: Clock) -> datetime | None:
    """When the wish could be had within the clauses: the check or the office, whichever comes first.

    Where the item has a term, only a term that outlasts the deadline gives relief.
    """
    if times.due is None:
        return min(times.ready, times.sitting)
    return times.deadline if times.due >= times.deadline else None


def _level(brief: Brief, sizes: Sizes, level: str, marks: dict[str, str]) -> LevelRendering:
    affected: int = getattr(sizes, level)
    return LevelRendering(
        text=written(getattr(brief.way.harm, level), marks),
        values={"affected": affected, "exposure": affected * sizes.each},
    )
