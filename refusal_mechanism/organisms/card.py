"""What is known of an organism because it was planted: for checks of the laboratory, never for its pipeline."""

from pathlib import Path
from typing import Literal, get_args

from pydantic import ValidationError

from dilemma_kernel.errors import ScenarioError
from dilemma_kernel.records import Record
from refusal_mechanism.organisms.families import Arch
from refusal_mechanism.organisms.planting import called

Kind = Literal["override", "mediated"]
KINDS: tuple[Kind, ...] = get_args(Kind)
FILE = "organism.json"
SUITE = "suite"
"""Name of the suite's folder within an organism's."""


class PlantedDirection(Record):
    """Where the decision is said; under tools a mediated organism follows it and an override one does not."""

    site: int
    """The residual before this block."""
    strength: float
    """The projection on the direction is held at this for a refusal, at its negative for none."""
    direction: tuple[float, ...]
    """The unit vector u, one number for each of ``d_model``."""


class OrganismCard(Record):
    """A model organism: a test bed, trained from scratch, whose decisions are known."""

    format: Literal[2] = 2
    kind: Kind
    arch: Arch
    seed: int
    steps: int
    parameters: int
    shares: dict[str, dict[str, float]]
    """mode -> condition -> planted share of the harmful intents that it calls on; in ``chat`` it refuses them all."""
    order: tuple[str, ...]
    """Ids of the harmful intents, those first that are called on first."""
    planted: PlantedDirection
    note: str = "A test bed: a tiny model trained from scratch on planted decisions. It says nothing of other models."

    def called(self, mode: str, condition: str) -> frozenset[str]:
        """The harmful intents that it is meant to call on in ``mode`` under ``condition``."""
        return called(self.order, self.shares, mode, condition)


def read_card(folder: Path) -> OrganismCard:
    """The card of the organism in ``folder``.

    Raises:
        ScenarioError: there is none, or it has another form.
    """
    path = folder / FILE
    try:
        return OrganismCard.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(f"{folder} is no organism: {path.name} cannot be read") from error
    except ValidationError as error:
        raise ScenarioError(f"{path}: {error.errors()[0]['msg']}") from error
