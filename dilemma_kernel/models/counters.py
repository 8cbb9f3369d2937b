"""What happened to the calls of one model, for progress lines and reports."""

from dataclasses import dataclass, field

from dilemma_kernel.models.limiter import Limiter


@dataclass
class Counters:
    """Counts since the model was wrapped. Read them at any moment."""

    limiter: Limiter = field(repr=False)
    hits: int = 0
    """Requests answered from the call log."""
    reused: int = 0
    """Requests answered from another study's call log."""
    joined: int = 0
    """Requests that joined an equal one in flight."""
    calls: int = 0
    """Requests that the model answered."""
    attempts: int = 0
    """Requests sent and ended, retries included."""
    retries: int = 0
    rate_limited: int = 0
    """429s met."""
    failures: int = 0
    """Requests given up."""
    waited_s: float = 0.0
    """Seconds spent waiting for retries and rate limits, summed over calls."""
    cost: float = 0.0
    """US dollars over all replies whose cost is known."""
    unpriced: int = 0
    """Replies whose cost is not known."""

    @property
    def in_flight(self) -> int:
        """Requests on their way now."""
        return self.limiter.in_flight

    @property
    def limit(self) -> int:
        """Requests that may be on their way at once now."""
        return self.limiter.limit
