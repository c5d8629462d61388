"""Ordinary programs by Quasar, and by numba and the libraries that know them, in one table: two threads for all.

`cargo build --profile bench --bench ordinary`, then `python benches/ordinary_peers.py BENCH [PART OF A NAME]`, where
BENCH is the binary that cargo wrote to `target/release/deps`. With `--keep=FILE` the least times stay in a file from
run to run: machines that others use too are fast at times only. Needs `pip install numpy scipy numba
opencv-python-headless`; ONNX Runtime takes part where `onnxruntime` and `onnx` are installed. Both sides get the same
numbers; results that differ are listed and make no row. Each time is the least of several rounds, in which the
contestants take turns.
"""

import os
import sys

# Memory stays with the process and lies in large pages, as Quasar's does: otherwise new arrays cost page faults.
WANTED = {
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=34359738368",
    "NUMBA_NUM_THREADS": "2",
    "OPENBLAS_NUM_THREADS": "2",
    "OMP_NUM_THREADS": "2",
    "OMP_WAIT_POLICY": "PASSIVE",
    "QUASAR_THREADS": "2",
}
if __name__ == "__main__" and any(os.environ.get(name) != value for name, value in WANTED.items()):
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **WANTED})

import json
import math
import struct
import subprocess
import tempfile
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "ordinary"))
ROUNDS, BURST, WORST = 7, 0.012, 10
KINDS = {"f": np.float32, "i": np.int32, "b": np.uint8}


class Quasar:
    """The bench binary, which answers lines."""

    def __init__(self, path):
        self.folder = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.folder.name, "values")
        self.child = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *words):
        self.child.stdin.write("\t".join(map(str, words)) + "\n")
        self.child.stdin.flush()
        said = self.child.stdout.readline().strip()
        if not said or said.startswith("error"):
            raise RuntimeError(said or "the program ended")
        return said

    def load(self, values):
        with open(self.file, "wb") as file:
            for value in values:
                value = np.ascontiguousarray(np.atleast_1d(value))
                kind = next(k for k, dtype in KINDS.items() if value.dtype == dtype)
                file.write(struct.pack(f"<cB{value.ndim}I", kind.encode(), value.ndim, *value.shape))
                file.write(value.tobytes())
        self.ask("load", self.file)

    def results(self, program):
        self.ask("call", program, self.file)
        with open(self.file, "rb") as file:
            data = file.read()
        found, at = [], 0
        while at < len(data):
            kind, rank = chr(data[at]), data[at + 1]
            dims = struct.unpack_from(f"<{rank}I", data, at + 2)
            at += 2 + 4 * rank
            found.append(np.frombuffer(data, KINDS[kind], math.prod(dims), at).reshape(dims))
            at += found[-1].nbytes
        return found

    def time(self, program, calls):
        # Threads of OpenBLAS and OpenMP look for work for some 25 ms before they sleep, on the cores that are measured here.
        time.sleep(0.06)
        return float(self.ask("time", program, calls))


def typed(value):
    """Single precision and 32 bits, as in Quasar."""
    if isinstance(value, float):
        return np.float32(value)
    return np.int32(value) if isinstance(value, int) else value


def flat(results):
    return [np.asarray(r).ravel() for r in (results if isinstance(results, (tuple, list)) else [results])]


def apart(found, wanted):
    """The largest difference relative to the largest number, and the share of elements off by more than 1e-3 of it."""
    most = share = 0.0
    for a, b in zip(flat(found), flat(wanted), strict=True):
        if a.shape != b.shape:
            return math.inf, 1.0
        off = np.abs(a.astype(np.float64) - b.astype(np.float64)) / max(np.abs(b.astype(np.float64)).max(), 1e-30)
        most = max(most, np.nan_to_num(off, nan=np.inf).max())
        share = max(share, float(np.mean(~(off <= 1e-3))))
    return most, share


def agrees(task, found, wanted):
    most, share = apart(found, wanted)
    return (most <= task.tolerance or share <= task.share), f"off by {most:.1e}, {100 * share:.2g} % of the elements"


def timed(call, calls):
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return 1e3 * (time.perf_counter() - start) / calls


def checked(quasar, task, wrong):
    """The contestants whose results agree: functions of a number of calls that give milliseconds."""
    inputs = [typed(value) for value in task.inputs]
    quasar.load(inputs)
    wanted, contestants = None, {}
    for name, peer in task.peers.items():
        found = peer(*inputs)
        wanted = found if wanted is None else wanted
        good, how = agrees(task, found, wanted)
        if good:
            contestants[name] = lambda calls, peer=peer: timed(lambda: peer(*inputs), calls)
        else:
            wrong.append(f"{task.name}: {name} {how}")
    for program in task.programs:
        try:
            good, how = agrees(task, quasar.results(program), wanted)
        except RuntimeError as error:
            good, how = False, str(error)
        if good:
            contestants[program] = lambda calls, program=program: quasar.time(program, calls)
        else:
            wrong.append(f"{task.name}: {program} {how}")
    return contestants


def measured(contestants):
    """The least milliseconds of each."""
    calls = {}
    for name, run in contestants.items():
        calls[name] = max(1, min(200, math.ceil(1e3 * BURST / max(min(run(1), run(1)), 1e-4))))
    least = dict.fromkeys(contestants, math.inf)
    for _ in range(ROUNDS):
        for name, run in contestants.items():
            least[name] = min(least[name], run(calls[name]))
    return least


class Kept:
    """The least times of this run and of earlier ones, by task and contestant."""

    def __init__(self, path):
        self.path, self.times = path, {}
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.times = json.load(file)

    def merged(self, task, least):
        known = self.times.setdefault(task.name, {})
        known.update({name: min(ms, known.get(name, math.inf)) for name, ms in least.items()})
        if self.path:
            with open(self.path, "w", encoding="utf-8") as file:
                json.dump(self.times, file, indent=1)
        return {name: known[name] for name in least}


def rows_of(quasar, task, wrong, kept):
    least = kept.merged(task, measured(checked(quasar, task, wrong)))
    peers = {name: least[name] for name in task.peers if name in least}
    best = min(peers, key=peers.get)
    others = ", ".join(f"{name} {ms:.3g}" for name, ms in peers.items() if name != best)
    for program in task.programs:
        if program in least:
            yield least[program] / peers[best], task.name, program, least[program], best, peers[best], others


def line(row):
    ratio, name, program, ms, best, least, others = row
    return f"| {name} | `{program}` | {ms:.3g} | {best} {least:.3g} | {ratio:.2f} | {others} |"


HEAD = "| workload | program | Quasar, ms | best peer, ms | ratio | other peers, ms |\n|---|---|---|---|---|---|"


def mean(ratios):
    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(sum(logarithms) / len(logarithms))


def report(rows, wrong):
    if rows:
        behind = sum(row[0] > 1 for row in rows)
        best = {row[1]: row[0] for row in sorted(rows, reverse=True)}
        every, chosen = mean(row[0] for row in rows), mean(best.values())
        print(f"\n{len(best)} workloads, {len(rows)} programs, {behind} of them behind:")
        print(f"geometric mean of the ratios {every:.2f}, of the best spelling of each workload {chosen:.2f}.")
        print(f"\nThe worst:\n\n{HEAD}")
        for row in sorted(rows, reverse=True)[:WORST]:
            print(line(row))
        print(f"\nAll:\n\n{HEAD}")
        for row in rows:
            print(line(row))
    for found in wrong:
        print(f"\nwrong: {found}")


def main():
    import idioms, libraries, matrices, pictures, pixels, sciences, stencils

    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    quasar, part = Quasar(arguments[0]), arguments[1] if len(arguments) > 1 else ""
    kept = Kept(next((a[7:] for a in sys.argv if a.startswith("--keep=")), None))
    rows, wrong = [], []
    for module in (matrices, stencils, sciences, pictures, pixels, libraries, idioms):
        for make in module.TASKS:
            if part not in f"{module.__name__}.{make.__name__}":
                continue
            for row in rows_of(quasar, make(), wrong, kept):
                print(line(row), file=sys.stderr, flush=True)
                rows.append(row)
    report(rows, wrong)


if __name__ == "__main__":
    main()
