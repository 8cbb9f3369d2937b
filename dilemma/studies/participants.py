"""Who takes part in a study: agents and environments by name, resolved once and wrapped for the study."""

from collections.abc import Sequence

from dilemma.studies.own_code import SCHEME, python_environment
from dilemma.studies.traffic import Traffic
from dilemma_kernel.errors import DesignError, InputError
from dilemma_kernel.models.budget import Budget, Budgeted
from dilemma_kernel.models.cache import Cached
from dilemma_kernel.models.calling import wrapped
from dilemma_kernel.models.config import ModelConfig
from dilemma_kernel.models.registry import resolve
from dilemma_kernel.models.scripted import Presented, Truth
from dilemma_kernel.ports import CallLog, ChatModel, Environment
from dilemma_kernel.records import CallContext, Capabilities, Cell, StudyRecord
from envs import ModelEnvironment, RulesEnvironment
from envs.rungs import choose_rung

IN_PROCESS = ("local/", "hf/")


class Participants:
    """Models and environments of one study. Objects given by a caller keep their own names."""

    def __init__(self) -> None:
        self._given_models: dict[str, ChatModel] = {}
        self._given_environments: dict[str, Environment] = {}
        self._adapters: dict[str, ChatModel] = {}
        self._wrapped: dict[str, Cached] = {}
        self._environments: dict[str, Environment] = {}
        self._in_process: set[str] = set()
        self._objects = False
        self.truth: Truth | None = None
        """How the actions of an episode are presented; scripted agents look it up."""

    def names(self, given: object) -> tuple[str, ...]:
        """Names of what a caller gave: one or several of names, models and environments."""
        many = given if isinstance(given, Sequence) and not isinstance(given, str) else (given,)
        return tuple(self._name(one) for one in many)

    def resolve(self, record: StudyRecord, config: ModelConfig) -> None:
        """Find every model that the study's cells name, once. Raises ``InputError`` where one cannot be had."""
        self._load_environments(record, config)
        names = [cell.agent for cell in record.cells]
        names += [cell.environment for cell in record.cells if self._is_model(cell.environment)]
        for name in dict.fromkeys(names):
            if name not in self._adapters:
                self._adapters[name] = self._given_models.get(name) or resolve(name, config, self._look_up)
            if (config.entry(name).model or name).startswith(IN_PROCESS):
                self._in_process.add(name)
        self._sampling = record.environment_sampling

    def wrap(self, log: CallLog, study: str, budget: Budget | None, reuse: tuple[str, CallLog] | None = None) -> None:
        """Put every model behind the study's call log and budget. Raises ``InputError`` where a price is not known.

        Args:
            log: the study's call log.
            study: its name, the scope of the keys.
            budget: what it may spend.
            reuse: name and call log of another study, whose replies to equal requests are taken.
        """
        for name, model in self._adapters.items():
            self._wrapped[name] = wrapped(model, log, study=study, budget=budget, reuse=reuse)

    @property
    def are_names(self) -> bool:
        """Whether another process can find every one of them: none was given as an object."""
        return not self._objects

    def traffic(self) -> dict[str, Traffic]:
        """What each model was asked so far."""
        return {name: Traffic.of(model.counters) for name, model in self._wrapped.items()}

    def in_process(self, cell: Cell) -> bool:
        """Whether a model of this cell runs in this process, where one episode at a time keeps its prefix warm."""
        return not self._in_process.isdisjoint({cell.agent, cell.environment})

    def agent(self, name: str) -> ChatModel:
        """The agent of this name, wrapped."""
        return self._wrapped[name]

    def capabilities(self, name: str) -> Capabilities:
        """What the agent of this name supports."""
        return self._adapters[name].capabilities

    def identities(self) -> dict[str, str]:
        """Model's name -> what stands behind it, for the study's record. Holds no key."""
        return {name: model.identity for name, model in self._adapters.items()}

    def environment(self, name: str) -> Environment:
        """The environment of this name."""
        if name not in self._environments:
            self._environments[name] = self._make_environment(name)
        return self._environments[name]

    async def aclose(self) -> None:
        """Release every model that was made here; those that a caller gave are the caller's to close."""
        for name, model in self._adapters.items():
            if name not in self._given_models:
                await model.aclose()

    def check_budget(self, usd: float | None) -> None:
        """Refuse a budget in dollars where a model's price is not known; raises ``InputError``."""
        for model in self._adapters.values() if usd is not None else ():
            Budgeted(model, Budget(usd))

    def _load_environments(self, record: StudyRecord, config: ModelConfig) -> None:
        """Find the environments that are a person's own code."""
        for name in dict.fromkeys(cell.environment for cell in record.cells):
            target = config.entry(name).model or name
            known = name in self._given_environments or name in self._given_models
            if target.startswith(SCHEME) and not known:
                made = python_environment(target)
                if made is not None:
                    self._given_environments[name] = made

    def _look_up(self, context: CallContext) -> tuple[Presented, ...]:
        assert self.truth is not None, "a scripted agent was asked before the study began"
        return self.truth(context)

    def _name(self, given: object) -> str:
        if isinstance(given, str):
            return given
        self._objects = True
        if isinstance(given, ChatModel):
            self._given_models[given.name] = given
            return given.name
        if isinstance(given, Environment):
            self._given_environments[given.name] = given
            return given.name
        raise InputError(f"{type(given).__name__} is neither a name, a ChatModel nor an Environment")

    def _is_model(self, name: str) -> bool:
        return name != RulesEnvironment.name and name not in self._given_environments

    def _make_environment(self, name: str) -> Environment:
        if name in self._given_environments:
            return self._given_environments[name]
        if name == RulesEnvironment.name:
            return RulesEnvironment()
        return ModelEnvironment(self._wrapped[name], self._sampling)


def check_interfaces(record: StudyRecord, participants: Participants) -> None:
    """Refuse an interface that an agent lacks, before anything is run.

    Raises:
        DesignError: names the agent.
    """
    for cell in record.cells:
        capabilities = participants.capabilities(cell.agent)
        choose_rung(capabilities, cell.levels["interface"], cell.agent)
        if "interface" in record.controls and not capabilities.tools:
            raise DesignError(f"--control interface sets tool calls against JSON, and {cell.agent} has no tool calls")
