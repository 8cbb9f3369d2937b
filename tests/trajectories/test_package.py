"""The package's own conventions: exports, lazy imports, and tables that the migrations make."""

import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

import trajectories
from dilemma_kernel.ports import CallLog, TrajectoryStore
from trajectories import Store
from trajectories.opening import REVISIONS, VERSION_TABLE, open_engines
from trajectories.tables import METADATA

ROOT = Path(__file__).parents[2]


def test_every_export_is_there() -> None:
    assert sorted(trajectories._HOMES) == trajectories.__all__ == sorted(trajectories.__all__)
    for name in trajectories.__all__:
        assert getattr(trajectories, name).__name__ == name
        assert not (ROOT / "trajectories" / f"{name}.py").exists(), "a module of that name would hide it"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = trajectories.nothing


def test_importing_it_loads_no_database_library() -> None:
    heavy = "{'sqlmodel', 'sqlalchemy', 'alembic', 'pydantic'}"
    code = f"import sys, trajectories; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_migrations_make_the_tables(path: Path) -> None:
    engines = open_engines(path, read_only=False)
    with engines.read.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": VERSION_TABLE, "compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, METADATA) == []
    engines.dispose()


def test_the_revisions_are_those_of_the_migrations() -> None:
    config = Config()
    config.set_main_option("script_location", str(ROOT / "trajectories" / "migrations"))
    scripts = ScriptDirectory.from_config(config)
    assert tuple(script.revision for script in reversed(list(scripts.walk_revisions()))) == REVISIONS


async def test_the_store_is_what_the_ports_ask_for(store: Store) -> None:
    as_port: TrajectoryStore = store
    log: CallLog = as_port.call_log("a-study")
    assert await log.get("no such key") is None
