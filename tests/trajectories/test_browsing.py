"""Filters, sorting and neighbours among episodes; what the database keeps of each; words in them."""

from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from trajectories_records import CELL, cell, judgement, study, trajectory

from dilemma_kernel.errors import InputError
from dilemma_kernel.records import Crashed, Measured, Unmeasured
from trajectories import Store, browsing, open_store, opening
from trajectories.search import TextIndex
from trajectories.wanted import EpisodeLine, Wanted

ALL = Wanted(study="a-study")


async def filled(store: Store) -> list[str]:
    """Six episodes over two agents: labels direct, robust, robust, failed, unmeasured, crashed. Their ids in order."""
    other = cell("scripted/robust")
    await store.save_study(study(cells=(CELL, other)), [])
    outcomes = [
        Measured(value="direct"),
        Measured(value="robust"),
        Measured(value="robust"),
        Measured(value="failed"),
        Unmeasured(why="no valid move"),
        Crashed(error="broke"),
    ]
    made = []
    for number, outcome in enumerate(outcomes):
        one = trajectory(repeat=number // 2, cell=(CELL, other)[number % 2], cost=number / 8)
        await store.save(one, [judgement(one.episode_id, outcome=outcome)])
        made.append(one.episode_id)
    return [line.episode_id for line in await browsing.lines(store, ALL)]


async def ids(store: Store, **wanted: object) -> list[str]:
    return [line.episode_id for line in await browsing.lines(store, ALL.model_copy(update=wanted))]


async def line(store: Store, episode: str) -> EpisodeLine:
    found = await browsing.line(store, episode)
    assert found is not None
    return found


async def test_each_filter_and_its_tally(store: Store) -> None:
    every = await filled(store)
    assert len(every) == 6
    assert await browsing.tally(store, ALL) == {
        "direct": 1, "robust": 2, "failed": 1, "unmeasured": 1, "crashed": 1,
    }  # fmt: skip
    assert len(await ids(store, label="robust")) == 2
    assert len(await ids(store, agent="scripted/robust")) == 3
    assert len(await ids(store, cell=CELL.key, label="robust")) == 1
    assert await ids(store, scenario="none of it") == []
    assert await ids(store, among=()) == []
    assert await ids(store, among=(every[2], every[4], "no such")) == [every[2], every[4]]
    assert await ids(store, trouble="invalid") == every
    assert await ids(store, trouble="crashed") == []


@pytest.mark.parametrize("sort", ["order", "label", "turns", "faults", "cost", "differ", "newest"])
@pytest.mark.parametrize("descending", [False, True])
async def test_neighbours_are_those_of_the_list(store: Store, sort: str, descending: bool) -> None:
    await filled(store)
    wanted = ALL.model_copy(update={"sort": sort, "descending": descending})
    listed = await ids(store, sort=sort, descending=descending)
    assert len(listed) == 6
    for number, episode in enumerate(listed):
        before, after = await browsing.neighbours(store, wanted, await line(store, episode))
        assert before == (listed[number - 1] if number else None)
        assert after == (listed[number + 1] if number < 5 else None)


async def test_pages_follow_one_another(store: Store) -> None:
    every = await filled(store)
    pages = [await browsing.lines(store, ALL, offset=start, limit=4) for start in (0, 4)]
    assert [one.episode_id for page in pages for one in page] == every


async def test_labels_of_judges_and_people_are_counted(store: Store) -> None:
    one = trajectory()
    await store.save_study(study(), [])
    await store.save(one, [judgement(one.episode_id, outcome=Measured(value="failed"))])
    assert (await line(store, one.episode_id)).machine_labels == 1
    await store.add_judgements([judgement(one.episode_id, outcome=Measured(value="stalling"), maker="judge")])
    found = await line(store, one.episode_id)
    assert (found.machine_labels, found.crossed, found.people, found.labels) == (2, False, 0, 2)
    await store.add_judgements(
        [judgement(one.episode_id, outcome=Measured(value="direct"), maker="judge", version="2")]
    )
    found = await line(store, one.episode_id)
    assert (found.machine_labels, found.crossed, found.labels) == (2, True, 2)
    await store.add_judgements([judgement(one.episode_id, outcome=Measured(value="robust"), maker="person/ada")])
    found = await line(store, one.episode_id)
    assert (found.machine_labels, found.people, found.labels, found.label) == (2, 1, 3, "failed")
    assert await ids(store, differ="sides") == await ids(store, labelled_by="ada") == [one.episode_id]
    assert await ids(store, unlabelled_by="ada") == []
    await store.add_judgements([judgement(one.episode_id, outcome=Unmeasured(why="withdrawn"), maker="person/ada")])
    assert (await line(store, one.episode_id)).people == 0


async def test_an_attempt_takes_the_place_of_an_earlier_one(store: Store) -> None:
    await store.save_study(study(), [])
    first = trajectory(ended="crashed")
    second = trajectory(attempt=1, ended="aligned")
    assert first.episode_id == second.episode_id
    for one in (first, second, first):
        await store.save(one, [judgement(one.episode_id, outcome=Measured(value=one.ended))])
    found = await line(store, first.episode_id)
    assert (found.attempt, found.ended, found.label) == (1, "aligned", "aligned")
    assert len(await ids(store)) == 1


async def test_relatives_and_forks(store: Store) -> None:
    await filled(store)
    origin = (await browsing.lines(store, ALL))[0]
    other = cell("scripted/random")
    fork = trajectory(repeat=origin.repeat, cell=other, origin=origin.episode_id, episode_id="f" * 16)
    await store.save(fork, [judgement(fork.episode_id)])
    related = await browsing.relatives(store, origin)
    assert {one.origin for one in related} == {None, origin.episode_id}
    assert len(related) == 2
    assert len(await ids(store)) == 6
    assert len(await ids(store, forks=True)) == 7
    counted = (await browsing.study_lines(store))["a-study"]
    assert (counted.episodes, counted.crashed, counted.labelled) == (6, 0, 0)


async def test_an_older_store_is_read_as_it_is_and_brought_up_when_written(path: Path) -> None:
    engine = opening.writing_engine(path)
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(opening._MIGRATIONS))
        config.attributes.update(connection=connection, version_table=opening.VERSION_TABLE)
        command.upgrade(config, "0001")
    engine.dispose()
    async with open_store(str(path), read_only=True) as store:
        assert await store.studies() == []
        assert not await browsing.can_browse(store)
    async with open_store(str(path)) as store:
        assert await browsing.can_browse(store)
        assert await browsing.study_lines(store) == {}


async def test_rows_of_an_older_store_come_along(store: Store, tmp_path: Path) -> None:
    """What the migration copies is what the triggers keep."""
    every = await filled(store)
    before = [await line(store, episode) for episode in every]
    await store._writer.run(_without_overview)
    async with open_store(str(store.path)) as again:
        assert [await line(again, episode) for episode in every] == before


def _without_overview(connection: object) -> None:
    run = connection.exec_driver_sql  # type: ignore[attr-defined]
    for statement in (
        "DROP TRIGGER overview_of_episode",
        "DROP TRIGGER overview_of_judgement",
        "DROP TABLE overview",
        "DROP TABLE unanswered",
        f"UPDATE {opening.VERSION_TABLE} SET version_num = '0001'",
    ):
        run(statement)


async def test_words(store: Store) -> None:
    every = await filled(store)
    index = TextIndex(store)
    assert await index.lacks("a-study") == 6
    await index.update("a-study")
    assert await index.lacks("a-study") == 0
    assert set((await index.find("a-study", "SEEN")).episodes) == set(every)
    assert (await index.find("a-study", "see")).episodes
    assert not (await index.find("a-study", "see seen x")).episodes
    assert (await index.find("another", "seen")).episodes == ()
    with pytest.raises(InputError, match="give a word"):
        await index.find("a-study", '"*" :')


async def test_words_of_the_newest_attempt(store: Store) -> None:
    await store.save_study(study(), [])
    index = TextIndex(store)
    for attempt, error in enumerate(("tulip", "rose")):
        one = trajectory(attempt=attempt, error=error)
        await store.save(one, [])
        assert await index.lacks("a-study") == 1
        await index.update("a-study")
    assert (await index.find("a-study", "tulip")).episodes == ()
    assert len((await index.find("a-study", "rose")).episodes) == 1


async def test_an_index_that_is_none_is_made_again(store: Store) -> None:
    await filled(store)
    place = Path(f"{store.path}-search")
    place.write_bytes(b"this is no database" * 300)
    index = TextIndex(store)
    await index.update("a-study")
    assert len((await index.find("a-study", "seen")).episodes) == 6
