"""A stored study of refusal transfer, and what can be read of it."""

from collections.abc import Iterator

from dilemma.studies.study import Study, known_study, store_url, waited
from dilemma.studies.transfer.figures import TransferReport
from dilemma.studies.transfer.observed import StoredArm, observe
from dilemma.studies.transfer.plan import check_instrument
from dilemma.studies.transfer.report import build_transfer_report
from dilemma_kernel.records import StudyRecord, Trajectory
from refusal_transfer.verdicts import RULES
from trajectories import Store, open_store


class TransferStudy:
    """A study in a store. Reading it needs no event loop, and does no harm inside one."""

    def __init__(self, name: str, url: str) -> None:
        self.name = name
        self.url = url

    def report(self, *, judge: str = RULES, published: bool = False) -> TransferReport:
        """The report over the arms stored by now.

        Args:
            judge: whose refusals the headline uses.
            published: lay the paper's figures beside.
        """
        return waited(_report(self.name, self.url, judge, published))

    def trajectories(self) -> Iterator[Trajectory]:
        """The latest attempt of every arm, in the order of case, cell and repeat."""
        return Study(self.name, self.url).trajectories()


def open_transfer_study(name: str, url: str | None) -> TransferStudy:
    """The study of this name.

    Raises:
        StudyError: the store has none, or it is of another instrument.
    """
    where = store_url(url)
    waited(_record(name, where))
    return TransferStudy(name, where)


async def _record(name: str, url: str) -> StudyRecord:
    async with open_store(url, read_only=True) as store:
        return await transfer_study_record(store, name)


async def transfer_study_record(store: Store, name: str) -> StudyRecord:
    """The record of a transfer study; raises ``StudyError`` where there is none of this name and instrument."""
    record = await known_study(store, name)
    check_instrument(record)
    return record


async def _report(name: str, url: str, judge: str, published: bool) -> TransferReport:
    async with open_store(url, read_only=True) as store:
        record = await transfer_study_record(store, name)
        stored = [
            StoredArm(episode_id=one.episode_id, cell=one.cell, case=one.case_id, repeat=one.repeat)
            for one in await store.episodes(name)
        ]
        everything = observe(record, stored, await store.judgements(name))
        return build_transfer_report(record, everything, judge=judge, published=published)
