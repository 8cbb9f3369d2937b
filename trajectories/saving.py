"""What is written in a transaction of its own, because it looks before it writes. For the writer's thread."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, delete, insert

from dilemma_kernel.errors import StoreError, StudyError
from dilemma_kernel.records import Judgement, Scenario, StudyRecord
from trajectories.jsontext import loads
from trajectories.queries import latest_attempt, one_study
from trajectories.rows import Row, judgement_row, scenario_row, study_row
from trajectories.tables import JUDGEMENTS, SCENARIOS, STUDIES


def begin_study(connection: Connection, study: StudyRecord, scenarios: Sequence[Scenario], now: float) -> None:
    """Add a study and its scenarios; the same study again changes nothing.

    Raises:
        StudyError: a study of this name is there, with other settings.
    """
    stored = connection.scalar(one_study(study.name))
    if stored is None:
        connection.execute(insert(STUDIES), [study_row(study, now)])
        if scenarios:
            connection.execute(insert(SCENARIOS), [scenario_row(study.name, scenario) for scenario in scenarios])
    elif loads(StudyRecord, stored) != study:
        raise StudyError(f"study {study.name!r} exists with other settings: resume it, or choose another name")


def put_judgements(connection: Connection, judgements: Sequence[Judgement]) -> None:
    """Add judgements of the latest attempt at their subjects; the same maker and version again replaces its own.

    Raises:
        StoreError: an episode is not in the store.
    """
    for judgement in judgements:
        episode = connection.execute(latest_attempt(judgement.subject)).first()
        if episode is None:
            raise StoreError(f"there is no episode {judgement.subject!r} to judge")
        row = judgement_row(judgement, episode.study, episode.attempt)
        connection.execute(delete(JUDGEMENTS).where(*_same_key(row)))
        connection.execute(insert(JUDGEMENTS), [row])


def _same_key(row: Row) -> list[ColumnElement[bool]]:
    return [column == row[column.name] for column in JUDGEMENTS.primary_key]
