"""What holds for every test: no network beyond loopback, no key, no hub."""

import os
import socket
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# no test is timed: cores are shared
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")
os.environ.update(LITELLM_LOCAL_MODEL_COST_MAP="True", HF_HUB_OFFLINE="1", LANGSMITH_TRACING="false")


@pytest.fixture(autouse=True)
def _loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any connection that leaves the machine is an error."""

    def guarded(connect: Any) -> Any:
        def check(self: socket.socket, address: Any) -> Any:
            if isinstance(address, tuple) and address[0] not in {"127.0.0.1", "::1", "localhost"}:
                raise AssertionError(f"a test reached for {address[0]}")
            return connect(self, address)

        return check

    monkeypatch.setattr(socket.socket, "connect", guarded(socket.socket.connect))
    monkeypatch.setattr(socket.socket, "connect_ex", guarded(socket.socket.connect_ex))
    return


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of the person who runs the tests is seen by them."""
    for name in list(os.environ):
        if name.endswith("_API_KEY") or name in {"OPENAI_BASE_URL", "OPENAI_API_BASE"}:
            monkeypatch.delenv(name)
