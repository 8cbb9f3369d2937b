"""Who may in: a one-time token or a password, exchanged for a session."""

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

MOST_SESSIONS = 64
"""Sessions kept; the oldest goes first."""

TRIES = 5
"""Wrong passwords after which the next ones have to wait."""

WAIT_S = 30.0


@dataclass(kw_only=True)
class Session:
    """One browser that was let in."""

    key: str
    """What its cookie holds."""
    csrf: str
    """What every write of it carries."""
    person: str = ""
    """Whose labels it gives."""
    blind: bool = False
    """Whether what machines and others said is kept from it."""


@dataclass(kw_only=True)
class Door:
    """Lets browsers in.

    Args:
        password: asked for instead of the token; None where the token is the only way.
        blind: how a session begins.
        clock: seconds, of a clock that never goes back.
    """

    password: str | None
    blind: bool
    clock: Callable[[], float]
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    """Opens once."""
    _is_used: bool = False
    _wrong: int = 0
    _waits_until: float = 0.0
    _sessions: dict[str, Session] = field(default_factory=dict)

    def by_token(self, given: str) -> Session | None:
        """A new session for the right token, the first time."""
        if self._is_used or not _same(given, self.token):
            return None
        self._is_used = True
        return self._new()

    def by_password(self, given: str) -> Session | None:
        """A new session for the right password; None for a wrong one, and for any while one has to wait."""
        if self.password is None or self.has_to_wait():
            return None
        if not _same(given, self.password):
            self._wrong += 1
            if self._wrong >= TRIES:
                self._wrong, self._waits_until = 0, self.clock() + WAIT_S
            return None
        self._wrong = 0
        return self._new()

    def has_to_wait(self) -> bool:
        """Whether too many wrong passwords came just now."""
        return self.clock() < self._waits_until

    def session(self, key: str | None) -> Session | None:
        """The session whose cookie this is."""
        return self._sessions.get(key) if key else None

    def _new(self) -> Session:
        made = Session(key=secrets.token_urlsafe(32), csrf=secrets.token_urlsafe(32), blind=self.blind)
        while len(self._sessions) >= MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        self._sessions[made.key] = made
        return made


def _same(given: str, wanted: str) -> bool:
    """Whether two texts are equal, in a time that tells nothing."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())
