"""One task in different habits of writing: numba and OpenCV for each."""

import cv2
import numpy as np
from numba import prange

from pictures import CLAMPED, gray
from tasks import Task, numbers, parallel

f4 = np.float32
SHARP = np.array([[0, -1, 0], [-1, 5, -1], [0, -1, 0]], f4)


@parallel
def sharpened_loops(x):
    y = np.empty_like(x)
    rows, columns = x.shape
    for m in prange(rows):
        a, b = max(m - 1, 0), min(m + 1, rows - 1)
        for n in range(columns):
            l, r = max(n - 1, 0), min(n + 1, columns - 1)
            y[m, n] = f4(5) * x[m, n] - x[a, n] - x[b, n] - x[m, l] - x[m, r]
    return y


def sharpened():
    names = ["sharpened", "sharpened_sz", "sharpened_table", "sharpened_lambda"]
    return Task(
        "sharpening 3x3",
        [f"idioms.{name}" for name in names],
        [gray()],
        {"OpenCV": lambda x: cv2.filter2D(x, -1, SHARP, borderType=CLAMPED), "numba": sharpened_loops},
    )


def sharpened_window():
    def peer(x, w):
        return cv2.filter2D(x, -1, w, borderType=CLAMPED)

    return Task("weights by windows 3x3", ["idioms.sharpened_window"], [gray(), SHARP], {"OpenCV": peer})


@parallel
def roots_loops(x):
    y = np.zeros_like(x)
    for m in prange(x.shape[0]):
        for n in range(x.shape[1]):
            if x[m, n] < 0:
                continue
            y[m, n] = np.sqrt(x[m, n])
    return y


def roots():
    programs = ["idioms.roots_continue", "idioms.roots_if", "idioms.roots_mask"]
    return Task(
        "roots of what is not negative, 2048",
        programs,
        [numbers(2048, 2048)],
        {"numba": roots_loops, "NumPy": lambda x: np.sqrt(np.maximum(x, 0))},
    )


@parallel
def bins_loops(x, t):
    y = np.zeros(x.shape, np.int32)
    for m in prange(x.shape[0]):
        for n in range(x.shape[1]):
            y[m, n] = t.size
            for k in range(t.size):
                if x[m, n] < t[k]:
                    y[m, n] = k
                    break
    return y


def bins():
    programs = ["idioms.bins_break", "idioms.bins_while", "idioms.bins_count"]
    return Task(
        "bins of 8 limits, 1024",
        programs,
        [numbers(1024, 1024), np.linspace(-1, 1, 8, dtype=f4)],
        {"numba": bins_loops, "NumPy": lambda x, t: np.digitize(x, t)},
    )


@parallel
def shares_loops(x):
    y = np.empty_like(x)
    for m in prange(x.shape[0]):
        y[m] = x[m] / x[m].sum()
    return y


def shares():
    return Task(
        "rows that sum to one, 2048",
        ["idioms.shares", "idioms.shares_arrays"],
        [numbers(2048, 2048, low=0)],
        {"numba": shares_loops, "NumPy": lambda x: x / x.sum(1, keepdims=True)},
        tolerance=1e-3,
    )


TASKS = [sharpened, sharpened_window, roots, bins, shares]
