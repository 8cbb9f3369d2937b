"""Python's cyclic garbage collector, kept from what stays."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def nothing_loaded_is_searched() -> Iterator[None]:
    """While a study runs, the collector leaves alone what was there before: the modules, which it would search for
    garbage again and again, at a fifth of the CPU of a call."""
    set_aside()
    try:
        yield
    finally:
        gc.unfreeze()


def set_aside() -> None:
    """From now on, what is alive is not searched."""
    gc.collect()
    gc.freeze()
