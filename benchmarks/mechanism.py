"""A steering sweep as rows of shared batches, beside one ``generate`` a condition with plain hooks; SmolLM2, float32.

``python benchmarks/mechanism.py [--prompts 200] [--coefficients 8] [--new 32] [--arm chat|tool] [--measured N]``

Both steer at the decision token and at every generated one, which is what ``positions="reply"`` means: that is where
steering acts on the reply, and conditions then share all that was read before. The plain way reads every prompt anew
for every condition; it is given prompts sorted by length and its best batch size of 8, 16 and 32. ``--measured``: how
many of its conditions are run, the others taken to cost the same. Then: the decision token's residual against
``output_hidden_states=True``, and tokens a second beside what memory and arithmetic of this machine allow, measured
here too. Wall time and CPU; on a busy machine trust the ratio of CPU.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

import torch

from dilemma_kernel.models.transformers import Generated, LoadedModel
from refusal_mechanism import Condition, Edit, Lab
from refusal_transfer import arm_request, load_suite

SITE = 15
AIM = 4.0
FLOOR = 1e-3
"""Tokens may differ where their logits are no further apart than this: sums in another order."""


@dataclass(frozen=True)
class Took:
    """What something took."""

    wall: float
    cpu: float

    def over(self, other: "Took") -> str:
        """How many times as long as ``other``."""
        return f"{self.wall / other.wall:.2f} (wall), {self.cpu / other.cpu:.2f} (CPU)"

    def times(self, factor: float) -> "Took":
        """As much, so many times."""
        return Took(self.wall * factor, self.cpu * factor)


def timed(run: Callable[[], Any]) -> tuple[Any, Took]:
    """What ``run`` gives, and what it took."""
    wall, cpu = time.perf_counter(), time.process_time()
    made = run()
    return made, Took(time.perf_counter() - wall, time.process_time() - cpu)


def sample_prompts(loaded: LoadedModel, count: int, arm: str) -> list[str]:
    """Prompts of the suite, evenly spread over its triples, the longest first."""
    suite = load_suite()
    chosen = [suite.triples[at * len(suite.triples) // count] for at in range(count)]
    how = "none" if arm == "chat" else "prompted"
    requests = [arm_request(t, arm, suite.domains[t.intent.domain].tools, how=how, seed=1) for t in chosen]  # type: ignore[arg-type]
    return sorted((loaded.render(request.messages) for request in requests), key=loaded.count_tokens, reverse=True)


def conditions_of(direction: torch.Tensor, coefficients: Sequence[float]) -> list[Condition]:
    """One condition a coefficient."""
    return [
        Condition(
            name=f"{value:+.1f}",
            edits=(Edit(operator="add", direction=direction, layers=(SITE,), coefficient=value, positions="reply"),),
        )
        for value in coefficients
    ]


@contextmanager
def plain_hook(loaded: LoadedModel, change: torch.Tensor, first: int) -> Iterator[None]:
    """``change`` is added at the last token of a prompt pass, or from column ``first``, and at every later one."""

    def hook(module: Any, args: Any) -> Any:
        state = args[0].clone()
        state[:, first if state.shape[1] > 1 else 0 :] += change
        return (state, *args[1:])

    handle = loaded.model.model.layers[SITE].register_forward_pre_hook(hook)
    try:
        yield
    finally:
        handle.remove()


def plain_sweep(
    loaded: LoadedModel,
    prompts: list[str],
    direction: torch.Tensor,
    coefficients: Sequence[float],
    new: int,
    batch: int,
) -> list[list[tuple[int, ...]]]:
    """The replies' tokens by transformers' own ``generate``, condition after condition."""
    return [
        [
            tokens
            for at in range(0, len(prompts), batch)
            for tokens in plain_batch(loaded, prompts[at : at + batch], value * direction, new)
        ]
        for value in coefficients
    ]


def plain_batch(loaded: LoadedModel, prompts: list[str], change: torch.Tensor, new: int) -> list[tuple[int, ...]]:
    """One batch of one condition."""
    encoded = loaded.encode(prompts)
    with torch.inference_mode(), plain_hook(loaded, change, -1):
        out = loaded.model.generate(
            input_ids=encoded.input_ids,
            attention_mask=encoded.attention_mask,
            max_new_tokens=new,
            do_sample=False,
            eos_token_id=sorted(loaded.ends),
            pad_token_id=min(loaded.ends),
        )
    rows = out[:, encoded.input_ids.shape[1] :].tolist()
    return [tuple(row[: next((at + 1 for at, token in enumerate(row) if token in loaded.ends), new)]) for row in rows]


def gap_where_they_part(
    loaded: LoadedModel, prompt: str, change: torch.Tensor, one: Sequence[int], other: Sequence[int]
) -> float:
    """How far apart the logits of the first two tokens are that differ."""
    at = next(index for index, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])
    tokens = loaded.tokenize(prompt)
    with torch.inference_mode(), plain_hook(loaded, change, len(tokens) - 1):
        logits = loaded.model(input_ids=torch.tensor([[*tokens, *one[:at]]])).logits[0, -1]
    return abs(float(logits[one[at]] - logits[other[at]]))


def sweep(lab: Lab, asked: argparse.Namespace) -> None:
    """The sweep both ways."""
    loaded = lab.loaded
    prompts = sample_prompts(loaded, asked.prompts, asked.arm)
    direction = torch.randn(lab.width, generator=torch.Generator().manual_seed(0))
    direction /= direction.norm()
    scale = float(lab.residuals(prompts[:4])[:, SITE].norm(dim=-1).median())
    coefficients = [scale * step / asked.coefficients for step in range(asked.coefficients)]
    lengths = [loaded.count_tokens(prompt) for prompt in prompts]
    print(f"{asked.coefficients} coefficients, {len(prompts)} prompts of {min(lengths)} to {max(lengths)} tokens,")
    print(f"{asked.new} new tokens, {torch.get_num_threads()} threads")
    few = prompts[:: max(1, len(prompts) // asked.searched)][: asked.searched]
    searched = {b: timed(lambda b=b: plain_sweep(loaded, few, direction, [0.0], asked.new, b))[1] for b in (8, 16, 32)}
    for batch, took in searched.items():
        print(f"  plain, batch {batch}: {took.wall:.1f} s, CPU {took.cpu:.1f} s for {len(few)} prompts")
    best = min(searched, key=lambda batch: searched[batch].cpu)
    measured = coefficients[-asked.measured :]
    plain, took = timed(lambda: plain_sweep(loaded, prompts, direction, measured, asked.new, best))
    plain_took = took.times(len(coefficients) / len(measured))
    said = "" if len(measured) == len(coefficients) else f" ({len(measured)} of its conditions were run)"
    print(f"one generate a condition, batch {best}: {plain_took.wall:.1f} s, CPU {plain_took.cpu:.1f} s{said}")
    ours, lab_took = timed(
        lambda: lab.generate(prompts, conditions_of(direction, coefficients), max_new_tokens=asked.new)
    )
    print(f"the lab: {lab_took.wall:.1f} s, CPU {lab_took.cpu:.1f} s")
    verdict = "met" if plain_took.cpu / lab_took.cpu >= AIM else "MISSED"
    print(f"times as fast: {plain_took.over(lab_took)}; aim {AIM:.0f}, by CPU: {verdict}")
    compare(loaded, prompts, [value * direction for value in measured], plain, ours[-len(measured) :])


def compare(
    loaded: LoadedModel,
    prompts: list[str],
    changes: list[torch.Tensor],
    plain: list[list[tuple[int, ...]]],
    ours: list[list[Generated]],
) -> None:
    """Say in how many replies tokens differ, and whether those are ties."""
    gaps = [
        gap_where_they_part(loaded, prompt, change, one, other.tokens)
        for change, rows, replies in zip(changes, plain, ours, strict=True)
        for prompt, one, other in zip(prompts, rows, replies, strict=True)
        if one != other.tokens
    ]
    print(f"replies that differ: {len(gaps)} of {len(prompts) * len(plain)}", end="")
    print(f"; logits apart by {max(gaps):.1e} at most (floor {FLOOR})" if gaps else "")
    assert not gaps or max(gaps) <= FLOOR, "replies differ beyond ties"


def capture(lab: Lab, asked: argparse.Namespace) -> None:
    """The decision token's residuals, both ways, with time and the growth of resident memory."""
    prompts = sample_prompts(lab.loaded, min(asked.prompts, 48), asked.arm)

    def everything() -> torch.Tensor:
        found = []
        for at in range(0, len(prompts), 16):
            encoded = lab.loaded.encode(prompts[at : at + 16])
            with torch.inference_mode():
                out = lab.loaded.model(
                    input_ids=encoded.input_ids,
                    attention_mask=encoded.attention_mask,
                    position_ids=encoded.position_ids,
                    output_hidden_states=True,
                )
            found.append(torch.stack([state[:, -1] for state in out.hidden_states], dim=1))
        return torch.cat(found)

    (ours, took), grown = watched(lambda: timed(lambda: lab.residuals(prompts)))
    (theirs, their_took), their_grown = watched(lambda: timed(everything))
    off = float((ours[:, :-1] - theirs[:, :-1]).abs().max() / theirs[:, :-1].abs().max())
    print(f"residuals of {len(prompts)} prompts: {took.wall:.1f} s, CPU {took.cpu:.1f} s, {grown / 2**20:.0f} MiB")
    print(f"output_hidden_states: {their_took.wall:.1f} s, CPU {their_took.cpu:.1f} s, {their_grown / 2**20:.0f} MiB")
    print(f"times as fast: {their_took.over(took)}; off by {off:.0e}")


def watched(run: Callable[[], Any]) -> tuple[Any, int]:
    """What ``run`` gives, and by how many bytes resident memory rose above what it was."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return run(), 0
    before = _status("VmRSS")
    made = run()
    return made, _status("VmHWM") - before


def _status(name: str) -> int:
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024


def bounds(lab: Lab, asked: argparse.Namespace) -> None:
    """Tokens a second of generation alone, beside what memory and arithmetic allow.

    Seconds are CPU seconds of each thread: other work may share the cores.
    """
    threads = torch.get_num_threads()
    big, square = torch.ones(2**26), torch.randn(1536, 1536)
    memory = big.numel() * 4 * threads / min(timed(big.sum)[1].cpu for _ in range(4))
    arithmetic = 2 * 1536**3 * threads / min(timed(lambda: square @ square)[1].cpu for _ in range(4))
    print(f"this machine: {memory / 1e9:.1f} GB/s read, {arithmetic / 1e9:.0f} GFLOP/s")
    weights = sum(weight.numel() for weight in lab.loaded.model.parameters())
    direction = torch.eye(lab.width)[0]
    new = min(asked.new, 12)
    for count in (1, 8):
        prompts = sample_prompts(lab.loaded, count, "chat")
        conditions = conditions_of(direction, [0.1 * step for step in range(8)])
        first = timed(lambda p=prompts, c=conditions: lab.generate(p, c, max_new_tokens=1))[1].cpu
        replies, took = timed(lambda p=prompts, c=conditions: lab.generate(p, c, max_new_tokens=new))
        tokens = sum(len(reply.tokens) - 1 for of in replies for reply in of)
        speed = tokens * threads / (took.cpu - first)
        by_memory, by_arithmetic = count * 8 * memory / (weights * 4), arithmetic / (2 * weights)
        print(f"  {count * 8} rows: {speed:.0f} tokens/s", end="")
        print(f", {speed / by_memory:.0%} of what reading the weights once a step allows", end="")
        print(f", {speed / by_arithmetic:.0%} of what arithmetic allows")


def main() -> None:
    """Print all of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="smollm2")
    parser.add_argument("--prompts", type=int, default=200)
    parser.add_argument("--coefficients", type=int, default=8)
    parser.add_argument("--new", type=int, default=32)
    parser.add_argument("--arm", choices=("chat", "tool"), default="chat")
    parser.add_argument("--measured", type=int, default=8, help="conditions that the plain way is run on")
    parser.add_argument("--searched", type=int, default=32, help="prompts that its batch size is sought on")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    lab = Lab.open(asked.model, dtype="float32", notify=print)
    for part in (sweep, capture, bounds):
        part(lab, asked)


if __name__ == "__main__":
    main()
