"""What the lists of workloads share: tasks, inputs, and numba's decorator."""

import dataclasses

import numpy as np
from numba import njit

SEED = np.random.default_rng(1)
parallel = njit(parallel=True, fastmath=False, cache=True)
serial = njit(fastmath=False, cache=True)


@dataclasses.dataclass
class Task:
    """`programs` and `peers` get the same inputs; results may differ by `tolerance` or in a `share` of elements."""

    name: str
    programs: list
    inputs: list
    peers: dict
    tolerance: float = 2e-4
    share: float = 0.0


def numbers(*shape, low=-1.0, high=1.0):
    return SEED.uniform(low, high, shape).astype(np.float32)


def integers(*shape, low=0, high=100):
    return SEED.integers(low, high, shape, dtype=np.int32)


def noise(*shape):
    return SEED.integers(0, 256, shape, dtype=np.uint8)


def photo(rows, columns):
    """An image of bytes with edges, smooth parts and noise."""
    y, x = np.mgrid[0:rows, 0:columns]
    waves = 90 * np.sin(x / 37.0) * np.cos(y / 23.0) + 40 * ((x // 64 + y // 64) % 2)
    return np.clip(110 + waves + SEED.normal(0, 6, (rows, columns)), 0, 255).astype(np.uint8)
