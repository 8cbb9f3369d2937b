"""The whole suite over HTTP, stored, beside a bare loop of litellm over the same requests; and the report's time.

``python benchmarks/transfer.py [ROUNDS]`` prints prompts a second of both and their ratio, round by round, and the
seconds of a report with 10,000 resamples. The server answers on loopback with no latency, in a process of its own.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

import litellm

from dilemma.studies.running import REMOTE_CONCURRENCY, run_lanes
from dilemma.studies.transfer.run import transfer
from dilemma_kernel.models.wire import to_wire
from dilemma_kernel.records import ChatRequest
from refusal_transfer import PAPER_ARMS, Suite, arm_request, load_suite

SERVER = Path(__file__).parent / "http_server.py"
MODEL = "bench-agent"
SETTINGS = """
[models]
bench-agent = {{model = "openai/agent", api_base = "{url}", input_price = 1.0, output_price = 1.0}}
"""


@contextmanager
def server(suite: Suite) -> Iterator[str]:
    """URL of the loopback server, which calls the first tool of the suite where tools are offered."""
    call = suite.intents[0].call
    arguments = [sys.executable, str(SERVER), call.tool, json.dumps(call.arguments)]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/0/v1"
    finally:
        process.terminate()
        process.wait()


def requests_of(suite: Suite) -> list[ChatRequest]:
    """The 2304 requests of the paper's arms, as they are sent to a model with native tools."""
    return [
        arm_request(
            triple, arm, suite.domains[triple.intent.domain].tools, how="none" if arm == "chat" else "native", seed=1
        )
        for triple in suite.triples
        for arm in PAPER_ARMS
    ]


async def bare(url: str, requests: list[ChatRequest]) -> float:
    """Prompts a second of litellm alone, as many at once as a study has."""

    async def ask(request: ChatRequest) -> None:
        reply = await litellm.acompletion(
            model="openai/agent", api_base=url, api_key="none", num_retries=0, **to_wire(request, ())
        )
        assert reply.choices[0].finish_reason in ("stop", "tool_calls")

    await run_lanes([(iter(requests[:64]), REMOTE_CONCURRENCY)], ask)
    started = time.perf_counter()
    await run_lanes([(iter(requests), REMOTE_CONCURRENCY)], ask)
    return len(requests) / (time.perf_counter() - started)


def ours(suite: Suite, name: str) -> tuple[float, float]:
    """Prompts a second of a stored study, and the seconds of its report."""
    started = time.perf_counter()
    study = asyncio.run(transfer(MODEL, suite=suite, store="bench.db", study=name))
    rate = 3 * len(suite.triples) / (time.perf_counter() - started)
    started = time.perf_counter()
    report = study.report()
    seconds = time.perf_counter() - started
    assert sum(arm.replies for arm in report.arms) == 3 * len(suite.triples)
    assert not any(arm.crashed for arm in report.arms)
    return rate, seconds


def main(rounds: int) -> None:
    """Run and print."""
    suite = load_suite()
    requests = requests_of(suite)
    os.environ["OPENAI_API_KEY"] = "none"
    ratios, reports = [], []
    with server(suite) as url, tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("dilemma.toml").write_text(SETTINGS.format(url=url))
        ours(suite, "warm")
        for number in range(rounds):
            theirs = asyncio.run(bare(url, requests))
            mine, seconds = ours(suite, f"round-{number}")
            ratios.append(mine / theirs)
            reports.append(seconds)
            print(f"litellm alone {theirs:6.0f}/s   stored study {mine:6.0f}/s   ratio {mine / theirs:.2f}", flush=True)
        os.chdir("/")
    print(f"median ratio {median(ratios):.2f}; report with 10,000 resamples {median(reports):.2f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
