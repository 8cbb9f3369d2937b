"""What the app works on: a store, its words, a queue; and what is worth keeping between requests."""

import asyncio
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

from dilemma.review.agreeing import Agreeing, agreeing
from dilemma.review.asking import Asked
from dilemma.review.labelling import vocabulary_of
from dilemma.review.sessions import Session
from dilemma.review.sheets import Sheet
from dilemma.studies.study import known_study
from dilemma_kernel.errors import DilemmaError, InputError, StoreError
from dilemma_kernel.records import Judgement, Scenario, StudyRecord
from trajectories import Store, browsing
from trajectories.search import Found, TextIndex
from trajectories.wanted import EpisodeLine, Wanted

_KEPT = 64


def _file_at(path: Path) -> tuple[int, int] | None:
    """Which file stands at a path; None for none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


class Desk:
    """Reads a store for the pages, and writes labels.

    Args:
        store: open.
        can_write: whether labels can be stored.
        sheet: the queue of a drawn sheet.
    """

    def __init__(self, store: Store, *, can_write: bool = True, sheet: Sheet | None = None) -> None:
        self.store = store
        self.can_write = can_write
        self.sheet = sheet
        self._file = _file_at(store.path)
        self._words = TextIndex(store)
        self._indexing: dict[str, asyncio.Task[None]] = {}
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()

    async def aclose(self) -> None:
        """Let the indexing stop where it is."""
        self._words.close()
        await asyncio.gather(*self._indexing.values(), return_exceptions=True)

    async def study(self, name: str) -> StudyRecord:
        """A study's record, which never changes. Raises ``StudyError`` where there is none."""
        self._check_file()
        if (found := self._kept.get(("study", name))) is None:
            found = self._keep(("study", name), await known_study(self.store, name))
        return found  # type: ignore[no-any-return]  # kept under its own key

    async def scenario(self, study: str, name: str) -> Scenario | None:
        """A scenario as a study ran it, which never changes."""
        if (found := self._kept.get(("scenario", study, name))) is None:
            found = self._keep(("scenario", study, name), await browsing.one_scenario(self.store, study, name))
        return found  # type: ignore[no-any-return]  # kept under its own key

    def _keep(self, key: Hashable, value: Any) -> Any:
        self._kept[key] = value
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return value

    async def line(self, episode: str) -> EpisodeLine:
        """An episode at a glance. Raises ``InputError`` where there is none."""
        found = await browsing.line(self.store, episode)
        if found is None:
            raise InputError("there is no such episode in this store")
        return found

    async def searched(self, asked: Asked) -> Found | None:
        """Episodes with the words that were asked for; None where none were."""
        return await self._words.find(asked.study, asked.text) if asked.text.strip() else None

    async def lacking(self, study: str) -> int:
        """Episodes of a study whose words are not known yet; from now on they are being read."""
        missing = await self._words.lacks(study)
        running = self._indexing.get(study)
        if missing and (running is None or running.done()):
            self._indexing[study] = asyncio.create_task(self._index(study))
        return missing

    async def _index(self, study: str) -> None:
        try:
            await self._words.update(study)
        except DilemmaError:
            return  # the page goes on saying how many are missing

    async def agreeing(self, study: StudyRecord) -> Agreeing:
        """People's labels in one table, and how well everyone agrees."""
        vocabulary = vocabulary_of(study.instrument)
        return agreeing(study, await browsing.labelled_by_people(self.store, study.name, vocabulary))

    async def store_labels(self, judgements: Sequence[Judgement]) -> None:
        """Store a person's judgements, all or none; returns once they are committed.

        Raises:
            InputError: the store was opened for reading only.
            StoreError: nothing is stored.
        """
        if not self.can_write:
            raise InputError("the store was opened for reading only: no label can be stored")
        self._check_file()
        await self.store.add_judgements(judgements)
        self._check_file()

    def _check_file(self) -> None:
        """A store that was deleted can be read and written still, by whoever has it open, and is lost with them.

        Raises:
            StoreError: another file stands where the store was, or none.
        """
        if _file_at(self.store.path) != self._file:
            raise StoreError(
                f"{self.store.path} was deleted or replaced since it was opened: nothing more is stored in it; "
                "put it back and start the server again (drafts are kept in the browser)"
            )

    def probability(self, episode: str, asked: Asked) -> float | None:
        """With which probability an episode came onto the sheet, where it is labelled from the sheet's queue."""
        return self.sheet.probabilities.get(episode) if self.sheet and asked.queue == "sheet" else None

    async def next_in_queue(self, asked: Asked, session: Session, here: str | None) -> str | None:
        """The next episode that this person has to label; None where none is left."""
        if asked.queue == "sheet" and self.sheet is not None:
            done = await self._done(Wanted(study=asked.study, labelled_by=session.person or "\0", forks=True))
            return self.sheet.next_after(here, done)
        wanted = asked.queued(session)
        if here is not None:
            _, after = await browsing.neighbours(self.store, wanted, await self.line(here))
            if after is not None:
                return after
        first = await browsing.lines(self.store, wanted, limit=2)
        return next((line.episode_id for line in first if line.episode_id != here), None)

    async def _done(self, wanted: Wanted) -> set[str]:
        """Episodes of the sheet that a person has labelled."""
        assert self.sheet is not None, "there is a sheet"
        among = wanted.model_copy(update={"among": tuple(self.sheet.probabilities)})
        lines = await browsing.lines(self.store, among, limit=len(self.sheet.probabilities))
        return {line.episode_id for line in lines}
