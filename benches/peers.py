"""The six tasks of `benches/kernels.rs` by OpenCV, numba and Halide: 4096x4096, two threads.

Needs `pip install numpy opencv-python-headless numba halide`; libraries that are missing are left out.
Prints median and least of fifteen runs in milliseconds as rows of a Markdown table, after checking each result against
a computation in double precision. `python benches/peers.py [RESULTS]` appends what `cargo bench --bench kernels` wrote
to RESULTS, for one table of one session.
"""

import os
import statistics
import sys
import time

os.environ["NUMBA_NUM_THREADS"] = os.environ["HL_NUM_THREADS"] = "2"
import numpy as np

SIZE, RUNS, RADIUS = 4096, 15, 15
SEED = np.random.default_rng(1)
BYTES = SEED.integers(0, 256, (SIZE, SIZE), dtype=np.uint8)
IMAGE = BYTES.astype(np.float32)
OUT, BETWEEN = np.ones_like(IMAGE), np.ones_like(IMAGE)
BELL = np.exp(-0.5 * (np.arange(-RADIUS, RADIUS + 1) / 5.0) ** 2)
TAPS = (BELL / BELL.sum()).astype(np.float32)


def padded(radius):
    return np.pad(IMAGE.astype(np.float64), radius, mode="symmetric")


def windows(radius, axis, data):
    count = data.shape[axis] - 2 * radius
    return [np.take(data, range(k, k + count), axis) for k in range(2 * radius + 1)]


def along_both(radius, combine):
    return combine(windows(radius, 1, combine(windows(radius, 0, padded(radius)))))


def weighted(parts):
    return sum(float(w) * part for w, part in zip(TAPS, parts))


EXPECTED = {
    "gamma": lambda: 255 * (IMAGE.astype(np.float64) / 255) ** 0.45,
    "box 3x3": lambda: along_both(1, sum) / 9,
    "gauss 31": lambda: along_both(RADIUS, weighted),
    "max 11x11": lambda: along_both(5, lambda parts: np.maximum.reduce(parts)),
    "sum": lambda: IMAGE.sum(dtype=np.float64),
    "histogram": lambda: np.bincount(BYTES.ravel(), minlength=256),
}
KNOWN = {}


def measure(task, library, work):
    if task not in KNOWN:
        KNOWN[task] = EXPECTED[task]()
    result, want = np.asarray(work(), np.float64), KNOWN[task]
    error = np.max(np.abs(result - want)) / np.max(np.abs(want))
    assert error < 2e-5, f"{library} is off by {error} in {task}"
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        times.append(1e3 * (time.perf_counter() - start))
    print(f"| {task} | {library} | {statistics.median(times):.2f} | {min(times):.2f} |", flush=True)


def opencv():
    import cv2

    cv2.setNumThreads(2)
    border = cv2.BORDER_REFLECT

    def gamma():
        cv2.multiply(IMAGE, 1 / 255, dst=OUT)
        cv2.pow(OUT, 0.45, dst=OUT)
        return cv2.multiply(OUT, 255.0, dst=OUT)

    yield "gamma", gamma
    yield "box 3x3", lambda: cv2.blur(IMAGE, (3, 3), dst=OUT, borderType=border)
    yield "gauss 31", lambda: cv2.sepFilter2D(IMAGE, -1, TAPS, TAPS, dst=OUT, borderType=border)
    yield "max 11x11", lambda: cv2.dilate(IMAGE, np.ones((11, 11), np.uint8), dst=OUT, borderType=border)
    yield "sum", lambda: cv2.sumElems(IMAGE)[0]
    yield "histogram", lambda: cv2.calcHist([BYTES], [0], None, [256], [0, 256]).ravel()


def numba():
    from numba import njit, prange

    parallel = njit(parallel=True, fastmath=True)

    @njit(inline="always")
    def mirror(i):
        return -1 - i if i < 0 else (2 * SIZE - 1 - i if i >= SIZE else i)

    @parallel
    def gamma(x, y):
        for m in prange(SIZE):
            for n in range(SIZE):
                y[m, n] = np.float32(255) * (x[m, n] / np.float32(255)) ** np.float32(0.45)

    @parallel
    def box(x, y):
        for m in prange(SIZE):
            above, here, below = x[mirror(m - 1)], x[m], x[mirror(m + 1)]
            for n in range(1, SIZE - 1):
                s = above[n - 1] + above[n] + above[n + 1] + here[n - 1] + here[n] + here[n + 1]
                y[m, n] = (s + below[n - 1] + below[n] + below[n + 1]) / np.float32(9)
            for n in (0, SIZE - 1):
                s = np.float32(0)
                for d in range(-1, 2):
                    k = mirror(n + d)
                    s += above[k] + here[k] + below[k]
                y[m, n] = s / np.float32(9)

    @parallel
    def gauss(x, t, y, w):
        for m in prange(SIZE):
            t[m] = 0
            for k in range(w.size):
                row = x[mirror(m + k - RADIUS)]
                for n in range(SIZE):
                    t[m, n] += w[k] * row[n]
            for n in range(SIZE):
                s = np.float32(0)
                if RADIUS <= n < SIZE - RADIUS:
                    for k in range(w.size):
                        s += w[k] * t[m, n + k - RADIUS]
                else:
                    for k in range(w.size):
                        s += w[k] * t[m, mirror(n + k - RADIUS)]
                y[m, n] = s

    @parallel
    def largest(x, t, y):
        for m in prange(SIZE):
            t[m] = x[m]
            for k in range(-5, 6):
                row = x[mirror(m + k)]
                for n in range(SIZE):
                    t[m, n] = max(t[m, n], row[n])
            for n in range(SIZE):
                v = t[m, n]
                for k in range(-5, 6):
                    v = max(v, t[m, mirror(n + k)])
                y[m, n] = v

    @parallel
    def total(x):
        s = 0.0
        for m in prange(SIZE):
            part = np.float32(0)
            for n in range(SIZE):
                part += x[m, n]
            s += part
        return s

    @njit(parallel=True)
    def histogram(x):
        tables = np.zeros((16, 256), np.int64)
        step = x.size // 16
        for k in prange(16):
            for i in range(k * step, (k + 1) * step):
                tables[k, x[i]] += 1
        return tables.sum(0)

    yield "gamma", lambda: (gamma(IMAGE, OUT), OUT)[1]
    yield "box 3x3", lambda: (box(IMAGE, OUT), OUT)[1]
    yield "gauss 31", lambda: (gauss(IMAGE, BETWEEN, OUT, TAPS), OUT)[1]
    yield "max 11x11", lambda: (largest(IMAGE, BETWEEN, OUT), OUT)[1]
    yield "sum", lambda: total(IMAGE)
    yield "histogram", lambda: histogram(BYTES.ravel())


def halide():
    import halide as hl

    source, target = hl.Buffer(IMAGE), hl.Buffer(OUT)
    column, row, inner = hl.Var("column"), hl.Var("row"), hl.Var("inner")

    def scheduled(result, *stages):
        block = hl.Var("block")
        result.split(row, block, inner, 32).parallel(block).vectorize(column, 16)
        for stage in stages:
            stage.compute_at(result, inner).vectorize(column, 16)
        result.compile_jit()
        return lambda: (result.realize(target), OUT)[1]

    def both(radius, combine):
        image = hl.BoundaryConditions.mirror_image(source)
        down, across = hl.Func("down"), hl.Func("across")
        near = range(-radius, radius + 1)
        down[column, row] = combine([image[column, row + k] for k in near])
        across[column, row] = combine([down[column + k, row] for k in near])
        return scheduled(across, down)

    def added(parts):
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total

    def largest(parts):
        most = parts[0]
        for part in parts[1:]:
            most = hl.max(most, part)
        return most

    gamma = hl.Func("gamma")
    gamma[column, row] = hl.f32(255) * hl.pow(source[column, row] / hl.f32(255), hl.f32(0.45))
    yield "gamma", scheduled(gamma)
    yield "box 3x3", both(1, lambda parts: added(parts) * hl.f32(3**-1))
    yield "gauss 31", both(RADIUS, lambda parts: added([hl.f32(float(w)) * p for w, p in zip(TAPS, parts)]))
    yield "max 11x11", both(5, largest)


def main():
    print("| task | library | median | least |\n|---|---|---|---|")
    for name, tasks in [("OpenCV", opencv), ("numba", numba), ("Halide", halide)]:
        try:
            for task, work in tasks():
                measure(task, name, work)
        except ImportError as missing:
            print(f"<!-- {name} left out: {missing} -->")
    if len(sys.argv) > 1:
        with open(sys.argv[1], encoding="utf-8") as results:
            print("\nQuasar and Rust by hand:\n\n```text\n" + results.read().rstrip() + "\n```")


if __name__ == "__main__":
    main()
