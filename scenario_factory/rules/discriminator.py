"""The discriminator that needs no model."""

from dilemma_kernel.errors import ScenarioError
from dilemma_kernel.records import Measured, Unmeasured
from scenario_factory.drafts import ActionsDraft, CompileDraft, Draft, EvidenceDraft, StoryDraft
from scenario_factory.presets import mean
from scenario_factory.roles import Scored, Task
from scenario_factory.rules.actions import action_marks
from scenario_factory.rules.compiled import compile_marks
from scenario_factory.rules.evidence import evidence_marks
from scenario_factory.rules.marks import Mark
from scenario_factory.rules.story import story_marks

VERSION = "1"


class RulesDiscriminator:
    """Scores by rules that anyone can read. The same text gives the same scores."""

    name = "rules"

    async def score(self, task: Task, draft: Draft) -> Scored:
        """The marks of ``draft`` at its stage, with the remark on the lowest one as feedback."""
        try:
            marks = self._marks(task, draft)
        except (ValueError, TypeError, ArithmeticError, LookupError, ScenarioError) as error:
            return Scored(Unmeasured(why="unreadable text"), feedback=" ".join(str(error).split())[:200])
        return scored(marks)

    def _marks(self, task: Task, draft: Draft) -> dict[str, Mark]:
        story, evidence = task.parts.story, task.parts.evidence
        match draft:
            case StoryDraft():
                return story_marks(draft)
            case EvidenceDraft() if story is not None:
                return evidence_marks(draft, story)
            case ActionsDraft() if evidence is not None:
                return action_marks(draft, evidence)
            case CompileDraft() if story is not None and task.whole is not None:
                return compile_marks(draft, story, task.whole)
            case _:
                raise ValueError("the stages before have no text")


def scored(marks: dict[str, Mark]) -> Scored:
    """Marks as a discriminator gives them: the lowest comes first in the feedback, and its remark is the suggestion."""
    scores = {name: mark.score for name, mark in marks.items()}
    remarks = sorted((mark.score, name, mark.remark) for name, mark in marks.items() if mark.remark)
    feedback = "; ".join(f"{name}: {remark}" for _, name, remark in remarks)
    suggestion = f"mend {remarks[0][1]} first" if remarks else ""
    return Scored(Measured(value=mean(scores)), scores, feedback, suggestion)
