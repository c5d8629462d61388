"""Small programs of the sciences: numba on the same loops, NumPy, SciPy and ONNX Runtime where they know them."""

import math

import numpy as np
import scipy.fft
import scipy.sparse
from numba import prange

from tasks import SEED, Task, integers, noise, numbers, parallel, serial

f4 = np.float32


@parallel
def azimint_loops(x, radius, bins):
    y, top = np.zeros(bins, f4), radius.max()
    for b in prange(bins):
        low, high, s, c = top * f4(b) / f4(bins), top * f4(b + 1) / f4(bins), f4(0), 0
        for i in range(x.size):
            if low <= radius[i] < high:
                s += x[i]
                c += 1
        y[b] = s / f4(c)
    return y


def azimint_numpy(x, radius, bins):
    at = np.minimum((radius * (bins / radius.max())).astype(np.int32), bins - 1)
    return np.bincount(at, x, bins) / np.bincount(at, minlength=bins)


def azimint():
    return Task(
        "azimint, 1000000, 100 rings",
        ["science.azimint", "science.azimint_counts"],
        [numbers(1_000_000, low=0), numbers(1_000_000, low=0), 100],
        {"NumPy": azimint_numpy, "numba": azimint_loops},
        tolerance=2e-3,
    )


@parallel
def arc_loops(a1, b1, a2, b2):
    d, h = np.empty_like(a1), f4(0.5)
    for i in prange(a1.size):
        t = np.sin((a2[i] - a1[i]) * h) ** 2 + np.cos(a1[i]) * np.cos(a2[i]) * np.sin((b2[i] - b1[i]) * h) ** 2
        d[i] = f4(2) * np.arctan2(np.sqrt(t), np.sqrt(f4(1) - t))
    return d


def arc_distance():
    return Task(
        "arc distance, 1000000",
        ["science.arc_distance", "science.arc_distance_loop"],
        [numbers(1_000_000) for _ in range(4)],
        {"numba": arc_loops},
    )


@parallel
def go_fast_loops(a):
    s = f4(0)
    for i in range(a.shape[0]):
        s += np.tanh(a[i, i])
    return a + s


def go_fast():
    return Task(
        "go_fast, 2000",
        ["science.go_fast"],
        [numbers(2000, 2000)],
        {"numba": go_fast_loops, "NumPy": lambda a: a + np.tanh(np.diagonal(a)).sum()},
    )


@parallel
def compute_numba(a, b, p, q, r):
    y = np.empty_like(a)
    for i in prange(a.shape[0]):
        for j in range(a.shape[1]):
            y[i, j] = min(max(a[i, j], np.int32(2)), np.int32(10)) * p + b[i, j] * q + r
    return y


def compute():
    return Task(
        "compute, 3000",
        ["science.compute"],
        [integers(3000, 3000), integers(3000, 3000), 4, 3, 9],
        {"numba": compute_numba, "NumPy": lambda a, b, p, q, r: np.clip(a, 2, 10) * p + b * q + r},
    )


@parallel
def softmax_loops(x):
    y = np.empty_like(x)
    for i in prange(x.shape[0]):
        m, s = x[i, 0], f4(0)
        for j in range(1, x.shape[1]):
            m = max(m, x[i, j])
        for j in range(x.shape[1]):
            y[i, j] = np.exp(x[i, j] - m)
            s += y[i, j]
        for j in range(x.shape[1]):
            y[i, j] /= s
    return y


def softmax_numpy(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def network(nodes, weights):
    """ONNX Runtime on nodes whose input is `x`, with two threads."""
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    made = [helper.make_node(kind, inputs, [output], **attributes) for kind, inputs, output, attributes in nodes]
    shape = [f"d{k}" for k in range(4 if any("Conv" == n[0] for n in nodes) else 2)]
    graph = helper.make_graph(
        made,
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(nodes[-1][2], TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.ascontiguousarray(v), k) for k, v in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda x: session.run(None, {"x": x})[0]


def with_network(peers, make):
    try:
        peers["ONNX Runtime"] = make()
    except ImportError:
        pass
    return peers


def softmax():
    peers = with_network(
        {"numba": softmax_loops, "NumPy": softmax_numpy}, lambda: network([("Softmax", ["x"], "y", {"axis": 1})], {})
    )
    return Task("softmax, 4096x1000", ["science.softmax_rows", "science.softmax_arrays"], [numbers(4096, 1000)], peers)


def mlp_numpy(x, w1, b1, w2, b2, w3, b3):
    h = np.maximum(x @ w1 + b1, 0)
    return softmax_numpy(np.maximum(h @ w2 + b2, 0) @ w3 + b3)


def mlp():
    values = {
        "w1": numbers(512, 1024, low=-0.1, high=0.1),
        "b1": numbers(1024),
        "w2": numbers(1024, 512, low=-0.1, high=0.1),
        "b2": numbers(512),
        "w3": numbers(512, 10, low=-0.1, high=0.1),
        "b3": numbers(10),
    }
    nodes = [
        ("Gemm", ["x", "w1", "b1"], "a", {}),
        ("Relu", ["a"], "h", {}),
        ("Gemm", ["h", "w2", "b2"], "b", {}),
        ("Relu", ["b"], "g", {}),
        ("Gemm", ["g", "w3", "b3"], "c", {}),
        ("Softmax", ["c"], "y", {"axis": 1}),
    ]

    def make():
        run = network(nodes, values)
        return lambda x, *_: run(x)

    return Task(
        "mlp 512-1024-512-10, 256",
        ["science.mlp"],
        [numbers(256, 512), *values.values()],
        with_network({"NumPy": mlp_numpy}, make),
        tolerance=2e-3,
    )


@parallel
def convolution_loops(x, w, bias):
    k = w.shape[0]
    y = np.empty((x.shape[0], x.shape[1] - k + 1, x.shape[2] - k + 1, w.shape[3]), f4)
    for n in prange(y.shape[0]):
        for i in range(y.shape[1]):
            for j in range(y.shape[2]):
                for o in range(y.shape[3]):
                    s = bias[o]
                    for p in range(k):
                        for q in range(k):
                            for c in range(x.shape[3]):
                                s += x[n, i + p, j + q, c] * w[p, q, c, o]
                    y[n, i, j, o] = s
    return y


@parallel
def pool_loops(x):
    y = np.empty((x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]), f4)
    for n in prange(y.shape[0]):
        for i in range(y.shape[1]):
            for j in range(y.shape[2]):
                for c in range(y.shape[3]):
                    a = max(x[n, 2 * i, 2 * j, c], x[n, 2 * i, 2 * j + 1, c])
                    y[n, i, j, c] = max(f4(0), max(a, max(x[n, 2 * i + 1, 2 * j, c], x[n, 2 * i + 1, 2 * j + 1, c])))
    return y


def channels_first(x):
    return np.ascontiguousarray(x.transpose(0, 3, 1, 2))


def convolution():
    w, bias = numbers(3, 3, 16, 32, low=-0.1, high=0.1), numbers(32)

    def make():
        run = network([("Conv", ["x", "w", "b"], "y", {})], {"w": w.transpose(3, 2, 0, 1), "b": bias})
        return lambda x, *_: run(channels_first(x)).transpose(0, 2, 3, 1)

    return Task(
        "conv2d 3x3, 8x56x56x16 to 32",
        ["science.convolution"],
        [numbers(8, 56, 56, 16), w, bias],
        with_network({"numba": convolution_loops}, make),
    )


def lenet():
    w1, b1, w2, b2 = (
        numbers(5, 5, 1, 6, low=-0.3, high=0.3),
        numbers(6),
        numbers(5, 5, 6, 16, low=-0.2, high=0.2),
        numbers(16),
    )
    nodes = [
        ("Conv", ["x", "w1", "b1"], "a", {}),
        ("Relu", ["a"], "b", {}),
        ("MaxPool", ["b"], "c", {"kernel_shape": [2, 2], "strides": [2, 2]}),
        ("Conv", ["c", "w2", "b2"], "d", {}),
        ("Relu", ["d"], "e", {}),
        ("MaxPool", ["e"], "y", {"kernel_shape": [2, 2], "strides": [2, 2]}),
    ]

    def make():
        run = network(nodes, {"w1": w1.transpose(3, 2, 0, 1), "b1": b1, "w2": w2.transpose(3, 2, 0, 1), "b2": b2})
        return lambda x, *_: run(channels_first(x)).transpose(0, 2, 3, 1)

    def peer(x, w1, b1, w2, b2):
        return pool_loops(convolution_loops(pool_loops(convolution_loops(x, w1, b1)), w2, b2))

    return Task(
        "two layers of LeNet, 64x28x28",
        ["science.lenet"],
        [numbers(64, 28, 28, 1), w1, b1, w2, b2],
        with_network({"numba": peer}, make),
    )


def residual():
    w1, b1, w2, b2 = (
        numbers(3, 3, 32, 32, low=-0.1, high=0.1),
        numbers(32),
        numbers(3, 3, 32, 32, low=-0.1, high=0.1),
        numbers(32),
    )
    same = {"pads": [1, 1, 1, 1]}
    nodes = [
        ("Conv", ["x", "w1", "b1"], "a", same),
        ("Relu", ["a"], "b", {}),
        ("Conv", ["b", "w2", "b2"], "c", same),
        ("Add", ["c", "x"], "d", {}),
        ("Relu", ["d"], "y", {}),
    ]

    def make():
        run = network(nodes, {"w1": w1.transpose(3, 2, 0, 1), "b1": b1, "w2": w2.transpose(3, 2, 0, 1), "b2": b2})
        return lambda x, *_: run(channels_first(x)).transpose(0, 2, 3, 1)

    def peer(x, w1, b1, w2, b2):
        def same_size(v, w, b):
            return convolution_loops(np.pad(v, ((0, 0), (1, 1), (1, 1), (0, 0))), w, b)

        return np.maximum(same_size(np.maximum(same_size(x, w1, b1), 0), w2, b2) + x, 0)

    return Task(
        "residual block 3x3, 8x28x28x32",
        ["science.residual"],
        [numbers(8, 28, 28, 32), w1, b1, w2, b2],
        with_network({"numba": peer}, make),
        tolerance=1e-3,
    )


@parallel
def stockham_loops(re0, im0):
    n, re, im = re0.size, re0.copy(), im0.copy()
    half, stride = n // 2, 1
    while stride < n:
        r, s = np.empty_like(re), np.empty_like(im)
        for i in prange(half):
            q = i % stride
            angle = f4(-np.pi) * f4(i - q) / f4(half)
            c, d = np.cos(angle), np.sin(angle)
            dr, di, at = re[i] - re[i + half], im[i] - im[i + half], 2 * i - q
            r[at], s[at] = re[i] + re[i + half], im[i] + im[i + half]
            r[at + stride], s[at + stride] = dr * c - di * d, dr * d + di * c
        re, im, stride = r, s, stride * 2
    return re, im


def stockham():
    return Task(
        "stockham transform, 65536",
        ["science.stockham"],
        [numbers(65536), numbers(65536)],
        {"numba": stockham_loops},
        tolerance=1e-3,
    )


@parallel
def spmv_loops(first, column, value, x):
    y = np.empty(first.size - 1, f4)
    for i in prange(y.size):
        s = f4(0)
        for k in range(first[i], first[i + 1]):
            s += value[k] * x[column[k]]
        y[i] = s
    return y


def spmv():
    rows, columns = 131072, 131072
    counts = integers(rows, low=8, high=56)
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    column, value = integers(int(first[-1]), high=columns), numbers(int(first[-1]))
    matrix = scipy.sparse.csr_matrix((value, column, first), (rows, columns))
    return Task(
        "spmv, 131072 rows of 8 to 55",
        ["science.spmv"],
        [first, column, value, numbers(columns)],
        {"SciPy": lambda f, c, v, x: matrix @ x, "numba": spmv_loops},
    )


@serial
def crc16_loops(data, polynomial):
    c = np.int32(65535)
    for i in range(data.size):
        b = np.int32(data[i])
        for _ in range(8):
            c = (c >> 1) ^ polynomial if (c & 1) ^ (b & 1) else c >> 1
            b >>= 1
    return np.int32(~c & 65535)


def crc16():
    return Task("crc16, 1 MB", ["science.crc16"], [noise(1_000_000), 0x8408], {"numba": crc16_loops})


@parallel
def nussinov_loops(s):
    n = s.size
    t = np.zeros((n, n), np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            t[i, j] = max(t[i, j], t[i, j - 1])
            if i + 1 < n:
                pair = 1 if i < j - 1 and s[i] + s[j] == 3 else 0
                t[i, j] = max(max(t[i, j], t[i + 1, j]), t[i + 1, j - 1] + pair)
            for k in range(i + 1, j):
                t[i, j] = max(t[i, j], t[i, k] + t[k + 1, j])
    return t


def nussinov():
    return Task("nussinov, 500", ["science.nussinov"], [integers(500, high=4)], {"numba": nussinov_loops})


@parallel
def scattering_loops(g, d, neighbour):
    y, n = np.zeros_like(g), g.shape[2]
    for k in prange(g.shape[0]):
        for e in range(g.shape[1]):
            for b in range(neighbour.shape[1]):
                for w in range(min(d.shape[1] - 1, e) + 1):
                    for i in range(n):
                        for j in range(n):
                            s = f4(0)
                            for l in range(n):
                                s += g[neighbour[k, b], e - w, i, l] * d[b, w, l, j]
                            y[k, e, i, j] += s
    return y


def scattering_numpy(g, d, neighbour):
    y = np.zeros_like(g)
    for b in range(neighbour.shape[1]):
        for w in range(min(d.shape[1], g.shape[1])):
            y[:, w:] += g[neighbour[:, b], : g.shape[1] - w] @ d[b, w]
    return y


def scattering():
    return Task(
        "scattering, 16x16x12x12",
        ["science.scattering", "science.scattering_slices"],
        [numbers(16, 16, 12, 12), numbers(4, 8, 12, 12), integers(16, 4, high=16)],
        {"numba": scattering_loops, "NumPy": scattering_numpy},
        tolerance=1e-3,
    )


@parallel
def asian_loops(z, start, strike, r, sigma, dt):
    total = f4(0)
    a, b, count = (r - f4(0.5) * sigma * sigma) * dt, sigma * np.sqrt(dt), f4(z.shape[1])
    for i in prange(z.shape[0]):
        x, m = start, f4(0)
        for k in range(z.shape[1]):
            x *= np.exp(a + b * z[i, k])
            m += x
        total += max(m / count - strike, f4(0))
    return total / f4(z.shape[0])


def asian_option():
    return Task(
        "asian option, 20000 paths of 256",
        ["science.asian_option"],
        [SEED.standard_normal((20000, 256)).astype(f4), 100.0, 100.0, 0.02, 0.3, 1 / 256],
        {"numba": asian_loops},
        tolerance=1e-3,
    )


@parallel
def nearest_loops(x, y):
    d, at = np.empty(len(x), f4), np.empty(len(x), np.int32)
    for i in prange(len(x)):
        best = f4(1e30)
        for j in range(len(y)):
            s = f4(0)
            for k in range(x.shape[1]):
                s += (x[i, k] - y[j, k]) * (x[i, k] - y[j, k])
            if s < best:
                best, at[i] = s, j
        d[i] = np.sqrt(best)
    return d, at


def nearest_numpy(x, y):
    s = (x * x).sum(1)[:, None] - 2 * x @ y.T + (y * y).sum(1)
    at = s.argmin(1)
    return np.sqrt(s[np.arange(len(x)), at]), at


def nearest():
    return Task(
        "nearest of 1000, 4000x16",
        ["science.nearest", "kernels.nearest"],
        [numbers(4000, 16), numbers(1000, 16)],
        {"numba": nearest_loops, "NumPy": nearest_numpy},
        share=1e-3,
    )


@parallel
def gravity_loops(x, y, z, mass):
    ax, ay, az = np.zeros_like(x), np.zeros_like(x), np.zeros_like(x)
    for i in prange(x.size):
        for j in range(x.size):
            dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
            r = dx * dx + dy * dy + dz * dz + f4(0.01)
            w = mass[j] / (r * np.sqrt(r))
            ax[i] += w * dx
            ay[i] += w * dy
            az[i] += w * dz
    return ax, ay, az


def gravity_numpy(x, y, z, mass):
    dx, dy, dz = x - x[:, None], y - y[:, None], z - z[:, None]
    w = (dx * dx + dy * dy + dz * dz + f4(0.01)) ** f4(-1.5) * mass
    return (dx * w).sum(1), (dy * w).sum(1), (dz * w).sum(1)


def gravity():
    return Task(
        "forces of 2000 bodies",
        ["science.gravity", "science.gravity_arrays"],
        [*(numbers(2000) for _ in range(3)), numbers(2000, low=0.5, high=1.5)],
        {"numba": gravity_loops, "NumPy": gravity_numpy},
        tolerance=1e-3,
    )


@parallel
def mandelbrot_loops(rows, columns, limit):
    y = np.empty((rows, columns), np.int32)
    for m in prange(rows):
        for n in range(columns):
            cr, ci = f4(-2) + f4(3) * f4(n) / f4(columns), f4(-1.5) + f4(3) * f4(m) / f4(rows)
            zr, zi, k = f4(0), f4(0), 0
            while k < limit and zr * zr + zi * zi <= 4:
                zr, zi = zr * zr - zi * zi + cr, f4(2) * zr * zi + ci
                k += 1
            y[m, n] = k
    return y


def mandelbrot():
    return Task(
        "mandelbrot, 1024",
        ["mandelbrot.mandelbrot", "mandelbrot.mandelbrot_complex"],
        [1024, 1024, 100],
        {"numba": mandelbrot_loops},
        share=0.02,
    )


@parallel
def gray_scott_numba(u, v, f, k):
    r = u * v * v
    return u - r + f * (f4(1) - u), v + r - (f + k) * v


def gray_scott():
    return Task(
        "gray-scott step, 2048",
        ["chains.gray_scott"],
        [numbers(2048, 2048, low=0), numbers(2048, 2048, low=0), 0.04, 0.06],
        {"numba": gray_scott_numba},
    )


@serial
def levenshtein_loops(a, b):
    m, n = a.size, b.size
    t = np.zeros((m + 1, n + 1), np.int32)
    for i in range(m + 1):
        t[i, 0] = i
    for j in range(n + 1):
        t[0, j] = j
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            t[i, j] = min(min(t[i - 1, j] + 1, t[i, j - 1] + 1), t[i - 1, j - 1] + cost)
    return t[m, n]


def levenshtein():
    return Task(
        "levenshtein with its table, 3000",
        ["order.levenshtein_table"],
        [integers(3000, high=4), integers(3000, high=4)],
        {"numba": levenshtein_loops},
    )


TASKS = [
    azimint,
    arc_distance,
    go_fast,
    compute,
    softmax,
    mlp,
    convolution,
    lenet,
    residual,
    stockham,
    spmv,
    crc16,
    nussinov,
    scattering,
    asian_option,
    nearest,
    gravity,
    mandelbrot,
    gray_scott,
    levenshtein,
]
