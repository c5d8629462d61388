"""Random programs over arrays, computed by NumPy and by Quasar: `differential.py QUASAR FIRST LAST [ENGINE]`.

A program is a function that makes arrays, each from earlier ones, and prints shape and elements of all. Many programs
are one file and one process. NumPy computes in double precision and so does Quasar (`--double`); elements may differ by
TOLERANCE, shapes may not. Values are kept small, so that no difference is a matter of cancellation. Exits with 1 if some
program differs, with 77 where NumPy is missing.
"""

import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("NumPy is not installed: python3 -m pip install numpy")
    sys.exit(77)

TOLERANCE = 1e-6
# Programs a file: the compiler takes longer for one large file than for several.
BATCH = 50
INTS = {"int8": np.int8, "uint8": np.uint8, "int16": np.int16, "uint16": np.uint16, "int32": np.int32}
MODES = ["circular", "mirror", "clamped", "safe"]


class Program:
    """Statements, and what NumPy says of their variables."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.values = []  # pairs of name and array: float64, int64 for `int` (wrapped by hand) or complex128
        self.count = 0

    # ---- choices

    def pick(self, items):
        return self.random.choice(items)

    def below(self, limit):
        return self.random.randrange(limit)

    def between(self, low, high):
        return self.random.randint(low, high)

    def some(self, test=lambda array: True):
        fitting = [pair for pair in self.values if test(pair[1])]
        return self.pick(fitting) if fitting else None

    # ---- statements

    def add(self, text, array, annotation=""):
        """A variable with this value. What grows too large is brought back, in both."""
        array = np.asarray(array)
        if array.ndim == 0 or array.size == 0 or array.size > 600:
            return
        name = f"v{self.count}"
        self.count += 1
        self.lines.append(f"{name}{annotation} = {text}")
        if array.dtype == np.int64:
            array = wrapped(array)
        elif not np.all(np.isfinite(array)):
            self.lines.pop()
            return
        elif np.max(np.abs(array)) > 1000:
            self.lines.append(f"{name} = {name} / 1000000")
            array = array / 1000000
        self.values.append((name, array))

    def number(self, text, value):
        """A number on its own, in a vector, so that it goes on to be used."""
        value = np.asarray(value)
        if value.ndim == 0 and np.isfinite(value):
            if value.dtype == np.int64:
                value = wrapped(value)
            self.add(f"[{text}, {text}]", np.array([value, value]))

    def literal(self):
        dims = [self.between(1, 5) for _ in range(self.between(1, 3))]
        kind = self.pick(["int", "float", "float", "complex"])
        count = int(np.prod(dims))
        if kind == "int":
            array = np.array([self.between(-9, 20) for _ in range(count)], dtype=np.int64).reshape(dims)
        elif kind == "float":
            # The first is a fraction, so that all are floats.
            parts = [0.5] + [self.between(-40, 40) / 8 for _ in range(count - 1)]
            array = np.array(parts).reshape(dims)
        else:
            parts = [0.5 + 1j] + [complex(self.between(-9, 9), self.between(-9, 9)) / 2 for _ in range(count - 1)]
            array = np.array(parts).reshape(dims)
        self.add(written(array), array)

    def sequence(self):
        low, step, count = self.between(-9, 9), self.pick([1, 2, 3, -1, -2]), self.between(1, 9)
        high = low + step * (count - 1) + self.pick([0, 0, self.below(abs(step)) * (1 if step > 0 else -1)])
        if self.random.random() < 0.3:
            self.add(f"{low}..{step / 4}..{low + step / 4 * (count - 1)}", low + step / 4 * np.arange(count))
        else:
            end = high + (1 if step > 0 else -1)
            self.add(f"{low}..{step}..{high}", np.arange(low, end, step, dtype=np.int64))

    def made(self):
        dims = [self.between(1, 4) for _ in range(self.between(1, 3))]
        if len(dims) == 3 and dims[2] == 1:
            dims.pop()  # where sizes are given, those of 1 from the third on are none
        listed = ", ".join(map(str, dims))
        value = self.between(-4, 4)
        n = self.between(1, 4)
        text, array = self.pick(
            [
                (f"ones({listed})*{value / 4}", np.full(dims, value / 4)),
                (f"zeros({listed}) + {value / 4}", np.full(dims, value / 4)),
                (f"eye({n})", np.eye(n)),
                (f"linspace({value}, {value + 3}, {n + 1})", np.linspace(value, value + 3, n + 1)),
            ]
        )
        self.add(text, array)

    def elementwise(self):
        found = self.some()
        if not found:
            return
        a, x = found
        same = self.some(lambda y: y.shape == x.shape)
        b, y = same
        k = self.pick([2, 3, 0.5, -1.5])
        forms = [
            (f"{a} + {b}", lambda: x + y),
            (f"{a} - {b}", lambda: x - y),
            (f"{a} .* {b}", lambda: x * y),
            (f"{a} - {k}", lambda: x - k),
            (f"{k}*{a} + {b}", lambda: k * x + y),
            (f"-{a}", lambda: -x),
            (f"{a} == {b}", lambda: (x == y).astype(np.int64)),
            (f"{a} ./ (abs({b}) + 1)", lambda: x / (np.abs(y) + 1)),
            (f"{a} .^ 2", lambda: x * x),
        ]
        if x.dtype == np.complex128 or y.dtype == np.complex128:
            forms += [
                (f"real({a} .* {b})", lambda: np.real(x * y)),
                (f"imag({a}) + 0.5", lambda: np.imag(x) + 0.5),
                (f"conj({a}) .* {b}", lambda: np.conj(x) * y),
                (f"abs({a} - {b})", lambda: np.abs(x - y) if (x - y).dtype == np.complex128 else np.abs(x - y)),
                (f"{a} * 1j", lambda: x * 1j),
            ]
        else:
            forms += [
                (f"max({a}, {b})", lambda: np.maximum(x, y)),
                (f"min({a}, {k})", lambda: np.minimum(x, k)),
                (f"mod({a}, 3)", lambda: np.mod(x, 3)),
                (f"rem({a}, 3)", lambda: np.fmod(x, 3)),
                (f"abs({a})", lambda: np.abs(x)),
                (f"floor({a}/2)", lambda: np.floor(x / 2)),
                (f"ceil({a}/4) + 0.0", lambda: np.ceil(x / 4)),
                (f"sign({a}) + 0.0", lambda: np.sign(x) + 0.0),
                (f"sqrt(abs({a}))", lambda: np.sqrt(np.abs(x))),
                (f"exp(-abs({a}))", lambda: np.exp(-np.abs(x))),
                (f"atan2({a} + 0.5, {b} + 0.25)", lambda: np.arctan2(x + 0.5, y + 0.25)),
                (f"{a} < {b}", lambda: (x < y).astype(np.int64)),
                (f"{a} >= {b} && {b} > 0", lambda: ((x >= y) & (y > 0)).astype(np.int64)),
                (f"!({a} != {b}) || {a} > 1", lambda: (~(x != y) | (x > 1)).astype(np.int64)),
                (f"hypot({a}, {b} + 0.5)", lambda: np.hypot(x, y + 0.5)),
                (f"clamp({a}, -2, 5)", lambda: np.clip(x, -2, 5)),
            ]
        text, compute = self.pick(forms)
        result = compute()
        if not near_edge(text, x, y):
            self.add(text, result)

    def singletons(self):
        """A vec of N and a 1xN matrix combine."""
        found = self.some(lambda x: x.ndim == 1)
        if found:
            a, x = found
            other = self.some(lambda y: y.ndim == 1 and y.shape == x.shape)
            b, y = other
            self.add(f"{a} + reshape({b}, [1, {len(y)}])", x + y.reshape(1, -1))

    def bits(self):
        found = self.some(lambda x: x.dtype == np.int64)
        if found:
            a, x = found
            k, m = self.between(0, 20), self.between(0, 5)
            text, array = self.pick(
                [
                    (f"and({a}, {k})", x & k),
                    (f"or({a}, {k})", x | k),
                    (f"xor({a}, {k})", x ^ k),
                    (f"{a}*{k * 100000007 % 2147483647}", x * (k * 100000007 % 2147483647)),
                    (f"shl({a}, {m})", x << m),
                    (f"{a} + 2147483640", x + 2147483640),
                ]
            )
            self.add(text, array)

    def reduction(self):
        found = self.some()
        if not found:
            return
        a, x = found
        axis = self.below(x.ndim)
        ordered = x.dtype != np.complex128
        forms = [(f"sum({a}, {axis})", lambda: np.sum(x, axis)), (f"mean({a}, {axis})", lambda: np.mean(x, axis))]
        forms += [(f"prod({a}/4, {axis})", lambda: np.prod(x / 4, axis))]
        if ordered:
            forms += [
                (f"max({a}, [], {axis})", None),
                (f"maxdim({a}, {axis})", lambda: np.max(x, axis)),
                (f"mindim({a}, {axis})", lambda: np.min(x, axis)),
                (f"any({a} > 2, {axis})", lambda: np.any(x > 2, axis).astype(np.int64)),
                (f"all({a} > -3, {axis})", lambda: np.all(x > -3, axis).astype(np.int64)),
            ]
            if x.shape[axis] > 1:
                forms += [
                    (f"var({a}, {axis})", lambda: np.var(x, axis, ddof=1)),
                    (f"std({a}, {axis})", lambda: np.std(x, axis, ddof=1)),
                ]
        text, compute = self.pick([form for form in forms if form[1]])
        self.add(text, sliced(np.expand_dims(compute(), axis), x.ndim, axis))

    def whole(self):
        found = self.some()
        if not found:
            return
        a, x = found
        forms = [(f"sum({a})", np.sum(x)), (f"mean({a})", np.mean(x)), (f"numel({a})", np.int64(x.size))]
        if x.dtype != np.complex128:
            forms += [
                (f"max({a})", np.max(x)),
                (f"min({a})", np.min(x)),
                (f"any({a} > 4)", np.int64(np.any(x > 4))),
                (f"all({a} < 9)", np.int64(np.all(x < 9))),
            ]
            if x.ndim == 1:
                forms += [(f"median({a})", np.median(x)), (f"dotprod({a}, {a})", np.dot(x, x))]
            forms += [(f"norm({a})", np.linalg.norm(x.astype(float).ravel()))] if x.ndim == 1 else []
        self.number(*self.pick(forms))

    def scan(self):
        found = self.some()
        if not found:
            return
        a, x = found
        axis = self.below(x.ndim)
        forms = [(f"cumsum({a}, {axis})", np.cumsum(x, axis)), (f"cumprod({a}/4, {axis})", np.cumprod(x / 4, axis))]
        if x.dtype != np.complex128:
            forms += [
                (f"cummax({a}, {axis})", np.maximum.accumulate(x, axis)),
                (f"cummin({a}, {axis})", np.minimum.accumulate(x, axis)),
                (f"sort({a}, {axis})", np.sort(x, axis)),
            ]
        self.add(*self.pick(forms))

    def arrangement(self):
        found = self.some()
        if not found:
            return
        a, x = found
        axis = self.below(max(x.ndim, 2))
        order = list(range(x.ndim))
        self.random.shuffle(order)
        shift = self.between(-4, 4)
        repeat = [self.between(1, 2) for _ in range(x.ndim)]
        divisors = [d for d in range(1, x.size + 1) if x.size % d == 0]
        rows = self.pick(divisors)
        forms = [
            (f"reshape({a}, [{rows}, {x.size // rows}])", x.reshape(rows, -1)),
            (f"reshape({a}, [{x.size}])", x.reshape(-1)),
            (f"repmat({a}, {repeat})", np.tile(x, repeat if x.ndim > 1 else [repeat[0], 1])),
            # A vec is a row.
            (f"cat({axis}, {a}, {a})", joined(x, x, axis)),
        ]
        if x.ndim > 1:
            forms += [
                (f"shuffledims({a}, {order})", np.transpose(x, order)),
                (f"fliplr({a})", np.flip(x, 1)) if x.ndim == 2 else (f"{a} + 0", x + 0),
                (f"flipud({a})", np.flip(x, 0)) if x.ndim == 2 else (f"{a} - 0", x - 0),
            ]
        if x.ndim == 2:
            forms += [
                (f"transpose({a})", x.T),
                (f"rot90({a})", np.rot90(x)),
                (f"circshift({a}, [{shift}, 1])", np.roll(x, (shift, 1), (0, 1))),
                (f"herm_transpose({a})", np.conj(x.T)),
            ]
        if x.ndim == 1:
            forms += [(f"circshift({a}, {shift})", np.roll(x, shift)), (f"transpose({a})", x.reshape(-1, 1))]
        other = self.some(lambda y: y.ndim == x.ndim and all(
            y.shape[k] == x.shape[k] for k in range(x.ndim) if k != axis))
        if other:
            b, y = other
            if x.ndim > 1 or axis == 1 or x.shape == y.shape:
                forms += [(f"cat({axis}, {a}, {b})", joined(x, y, axis))] * 2
        if x.ndim == 1 and len(x) > 1:
            vector = self.some(lambda y: y.ndim == 1)
            forms += [(f"[...{a}, ...{vector[0]}]", np.concatenate([x, vector[1]]))]
            forms += [(f"[{a}, {a}]", np.stack([x, x]))]
        self.add(*self.pick(forms))

    def product(self):
        found = self.some(lambda x: x.ndim == 2)
        if not found:
            return
        a, x = found
        other = self.some(lambda y: y.ndim == 2 and y.shape[0] == x.shape[1])
        vector = self.some(lambda y: y.ndim == 1 and len(y) == x.shape[1])
        forms = [(f"{a} * transpose({a})", x @ x.T)]
        if other:
            forms += [(f"{a} * {other[0]}", x @ other[1])] * 2
        if vector and x.shape != (1, 1):
            forms += [(f"{a} * {vector[0]}", x @ vector[1])] if x.shape[1] > 1 else []
        if x.shape[0] == x.shape[1]:
            forms += [(f"{a} ^ 2", x @ x), (f"[trace({a}), 0.5]", np.array([np.trace(x), 0.5]))]
        self.add(*self.pick(forms))

    def part(self, extent):
        """An index for one dimension: the text, and what NumPy selects; a number alone drops the dimension."""
        low, high = sorted((self.below(extent), self.below(extent)))
        step = self.pick([1, 1, 2, 3])
        choice = self.below(6)
        if choice == 0:
            return ":", list(range(extent)), False
        if choice == 1:
            return str(low), [low], True
        if choice == 2:
            return f"{high}..-{step}..{low}", list(range(high, low - 1, -step)), False
        if choice == 3:
            listed = [self.below(extent) for _ in range(self.between(2, 3))]
            return str(listed), listed, False
        return (f"{low}..{step}..{high}" if step > 1 else f"{low}..{high}"), list(range(low, high + 1, step)), False

    def slice(self):
        found = self.some()
        if not found:
            return
        a, x = found
        parts = [self.part(extent) for extent in x.shape]
        if all(part[2] for part in parts):
            return  # an element, which is a number
        # A vector alone is a position on a matrix; there is one index for each dimension here, so it is a list.
        text = ", ".join(part[0] for part in parts)
        selected = x[np.ix_(*[part[1] for part in parts])]
        self.add(f"{a}[{text}]", dropped(selected, [part[2] for part in parts]))

    def beyond(self):
        """A slice across the edges, through a boundary mode."""
        found = self.some()
        if not found:
            return
        a, x = found
        mode = self.pick(MODES)
        texts, lists = [], []
        for extent in x.shape:
            low = self.between(-2 * extent, extent - 1)
            count = self.between(2, extent + 4)
            step = self.pick([1, 1, 2])
            texts.append(f"{low}..{step}..{low + step * (count - 1)}" if step > 1 else f"{low}..{low + count - 1}")
            lists.append([low + step * k for k in range(count)])
        inside = [[bounded(mode, k, extent) for k in ks] for ks, extent in zip(lists, x.shape)]
        selected = x[np.ix_(*[[max(k, 0) for k in ks] for ks in inside])].copy()
        for axis, ks in enumerate(inside):
            outside = [n for n, k in enumerate(ks) if k < 0]
            selected[tuple([slice(None)] * axis + [outside])] = 0
        name = f"m{self.count}"
        self.lines.append(f"{name} : '{mode} = {a}")
        self.add(f"{name}[{', '.join(texts)}]", selected)

    def store(self):
        """A changed copy: a number, a slice of itself or a mask."""
        found = self.some()
        if not found:
            return
        a, x = found
        y = x.copy()
        name = f"v{self.count}"
        lines = [f"{name} = copy({a})"]
        if self.random.random() < 0.4 and x.dtype != np.complex128:
            limit, value = self.between(-3, 6), self.between(-5, 5)
            y[y > limit] = value
            lines.append(f"{name}[{name} > {limit}] = {value}")
        else:
            axis = self.below(x.ndim)
            extent = x.shape[axis]
            count = self.between(1, extent)
            start, other = self.below(extent - count + 1), self.below(extent - count + 1)
            turned = self.random.random() < 0.5 and count > 1
            at = lambda low, back: tuple(
                [slice(None)] * axis + [list(range(low, low + count))[:: -1 if back else 1]])
            written_at = lambda low, back: ", ".join(
                [":"] * axis
                + [f"{low + count - 1}..-1..{low}" if back else f"{low}..{low + count - 1}"]
                + [":"] * (x.ndim - axis - 1))
            y[at(start, False)] = x[at(other, turned)]
            lines.append(f"{name}[{written_at(start, False)}] = {name}[{written_at(other, turned)}]")
            if self.random.random() < 0.4:
                y[at(other, False)] += 1
                lines.append(f"{name}[{written_at(other, False)}] += 1")
        self.lines += lines[:1]
        self.lines += lines[1:]
        self.count += 1
        self.values.append((name, wrapped(y) if y.dtype == np.int64 else y))

    def masked(self):
        found = self.some(lambda x: x.dtype != np.complex128)
        if found:
            a, x = found
            limit = self.between(-3, 6)
            self.add(f"{a}[{a} > {limit}]", x[x > limit])

    def conversion(self):
        """Small integers that wrap around, saturate, or refuse."""
        found = self.some(lambda x: x.dtype != np.complex128 and np.max(np.abs(x)) < 2**31)
        if not found:
            return
        a, x = found
        whole = np.trunc(x).astype(np.int64)
        name = self.pick(list(INTS))
        ty = INTS[name]
        info = np.iinfo(ty)
        rule = self.pick(["'sat", "'unchecked", ""])
        fits = np.all((whole >= info.min) & (whole <= info.max))
        if name == "int32" or (rule == "" and not fits):
            self.add(f"int({a})", whole)
            return
        array = np.clip(whole, info.min, info.max) if rule == "'sat" else whole.astype(ty).astype(np.int64)
        dims = ", ".join(map(str, x.shape))
        small = f"c{self.count}"
        box = {1: "vec", 2: "mat", 3: "cube"}.get(x.ndim)
        if not box:
            return
        every = ", ".join([":"] * x.ndim)
        self.lines.append(f"{small} = {box}[{name}{rule}]({dims})")
        self.lines.append(f"{small}[{every}] = int({a})")
        self.add(f"{small} + 0", array)

    def statements(self):
        self.literal()
        self.literal()
        kinds = [self.literal, self.sequence, self.made, self.singletons, self.bits, self.whole, self.masked]
        kinds += [self.elementwise, self.reduction, self.scan, self.arrangement, self.slice, self.beyond] * 2
        kinds += [self.product, self.store, self.conversion] * 2
        for _ in range(self.between(4, 12)):
            self.pick(kinds)()

    def function(self, number):
        lines = [f"function [] = program{number}()"]
        lines += [f"    {line}" for line in self.lines]
        lines += [f'    print "{name}|", size({name}), "|", {name}' for name, _ in self.values]
        return "\n".join(lines + ["endfunction", ""])


def joined(x, y, axis):
    """A vec is a row; two of them side by side are a vec."""
    if x.ndim == 1 and axis == 1:
        return np.concatenate([x, y])
    return np.concatenate([row(x), row(y)], axis)


def row(array):
    return array.reshape(1, -1) if array.ndim == 1 else array


def wrapped(array):
    """What 32 bits keep of it."""
    return ((array + 2**31) & 0xFFFFFFFF) - 2**31


def near_edge(text, x, y):
    """Whether rounding decides: NumPy and Quasar may then differ by right."""
    if not any(sign in text for sign in ("floor", "ceil", "mod", "rem", "<", ">", "==", "!=", "sign")):
        return False
    parts = [np.abs(part) for part in (x, y) if part.dtype != np.int64]
    scaled = [part * 64 for part in parts]
    return any(np.any(np.abs(part - np.round(part)) > 0) for part in scaled)


def bounded(mode, k, extent):
    """Where an index leads; -1 for a zero."""
    if 0 <= k < extent:
        return k
    if mode == "safe":
        return -1
    if mode == "circular":
        return k % extent
    if mode == "clamped":
        return min(max(k, 0), extent - 1)
    k %= 2 * extent
    return k if k < extent else 2 * extent - 1 - k


def dropped(selected, numbers):
    """Leading dimensions selected by numbers go, and trailing ones from the third on."""
    shape = list(selected.shape)
    while len(shape) > 2 and numbers[len(shape) - 1]:
        shape.pop()
    first = 0
    while first < len(shape) - 1 and numbers[first]:
        first += 1
    return selected.reshape(shape[first:])


def sliced(array, rank, axis):
    """A reduced dimension goes as that of a number."""
    return dropped(array, [k == axis for k in range(rank)])


def written(array):
    if array.ndim:
        return "[" + ", ".join(written(part) for part in array) + "]"
    if array.dtype == np.complex128:
        return f"({float(array.real)} + {float(array.imag)}j)" if array.imag >= 0 else (
            f"({float(array.real)} - {float(-array.imag)}j)")
    return str(int(array)) if array.dtype == np.int64 else str(float(array))


NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)"


def parsed(text, is_complex):
    """The elements of a printed array."""
    items = [item.strip() for item in re.split(r"[\[\],\s]+", text) if item.strip()]
    return np.array([number(item) for item in items], dtype=complex if is_complex else float)


def number(item):
    if not item.endswith("j"):
        return float(item)
    found = re.fullmatch(f"({NUMBER})?({NUMBER})j", item)
    if not found:
        raise ValueError(item)
    return complex(float(found[1] or 0), float(found[2]))


def difference(program, output):
    """What is wrong with the output of a program."""
    sections = re.split(r"^(v\d+)\|", output, flags=re.M)
    printed = dict(zip(sections[1::2], sections[2::2]))
    for name, array in program.values:
        if name not in printed:
            return f"{name} is not printed: {output.strip()[-200:]}"
        shape, _, rest = printed[name].partition("|")
        expected_shape = list(array.shape)
        if [int(n) for n in re.findall(r"\d+", shape)] != expected_shape:
            return f"{name} has the shape {shape}, expected {expected_shape}"
        try:
            found = parsed(rest, array.dtype == np.complex128)
        except ValueError as error:
            return f"{name} cannot be read: {error} in {rest.strip()[:100]}"
        expected = array.astype(complex if array.dtype == np.complex128 else float).ravel()
        if len(found) != len(expected):
            return f"{name} has {len(found)} elements, expected {len(expected)}"
        # Six digits are printed.
        wrong = np.abs(found - expected) > TOLERANCE * 10 * np.maximum(np.abs(expected), 1)
        if np.any(wrong):
            k = int(np.argmax(wrong))
            return f"{name}: element {k} is {found[k]}, expected {expected[k]}"
    return None


def run(quasar, engine, programs):
    """What each program prints."""
    text = 'import "inttypes.q"\n' + "".join(program.function(seed) for seed, program in programs)
    for seed, _ in programs:
        text += f'print "=== {seed}"\ntry\n    program{seed}()\ncatch e\n    print "error: ", e.message\nendtry\n'
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "programs.q"
        path.write_text(text)
        command = [quasar, "run", "--double", "--engine", engine, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    sections = re.split(r"^=== (\d+)\n", done.stdout, flags=re.M)
    found = {int(seed): output for seed, output in zip(sections[1::2], sections[2::2])}
    if not found and len(programs) > 1:
        # A program that does not compile hides the others.
        half = len(programs) // 2
        return run(quasar, engine, programs[:half]) | run(quasar, engine, programs[half:])
    return found or {programs[0][0]: done.stderr}


def main():
    quasar, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    engine = sys.argv[4] if len(sys.argv) > 4 else "interpreter"
    np.seterr(all="ignore")
    wrong = 0
    for start in range(first, last, BATCH):
        programs = []
        for seed in range(start, min(start + BATCH, last)):
            program = Program(seed)
            program.statements()
            programs.append((seed, program))
        outputs = run(quasar, engine, programs)
        for seed, program in programs:
            found = difference(program, outputs.get(seed, "nothing"))
            if found:
                wrong += 1
                if wrong <= 20:
                    print(f"seed {seed}: {found}")
                    if "-v" in sys.argv:
                        print(program.function(seed))
        sys.stdout.flush()
    print(f"numpy {np.__version__}, {engine}: {last - first} programs, {wrong} differ")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
