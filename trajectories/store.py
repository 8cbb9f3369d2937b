"""The store of studies, trajectories, judgements and calls."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Row
from sqlalchemy.dialects.sqlite import insert

from dilemma_kernel.errors import InputError, StoreError, StudyError
from dilemma_kernel.records import ChatRequest, Ended, Judgement, Scenario, StudyRecord, Trajectory
