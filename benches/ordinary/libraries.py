"""Functions of libraries: LAPACK and NumPy, SciPy's transforms, OpenCV."""

from math import erf

import cv2
import numpy as np
import scipy.fft
import scipy.linalg
import scipy.special
from numba import prange

from matrices import positive
from pictures import CLAMPED, MIRROR, gray, mirror
from tasks import SEED, Task, noise, numbers, parallel, photo

f4 = np.float32
LUMA = np.array([[0.299, 0.587, 0.114, 0], [-0.168736, -0.331264, 0.5, 128], [0.5, -0.418688, -0.081312, 128]], f4)


def solved():
    return Task(
        "solve, 500",
        ["builtins.solved"],
        [positive(500), numbers(500)],
        {"NumPy": np.linalg.solve, "SciPy": lambda a, b: scipy.linalg.solve(a, b, check_finite=False)},
        tolerance=2e-3,
    )


def inverse():
    return Task("inverse, 400", ["builtins.inverse"], [positive(400)], {"NumPy": np.linalg.inv}, tolerance=2e-3)


def orthogonal():
    def peer(a):
        q, r = np.linalg.qr(a, mode="complete")
        return q @ r

    return Task(
        "qr and the product, 400x300", ["builtins.orthogonal"], [numbers(400, 300)], {"NumPy": peer}, tolerance=1e-3
    )


def contour():
    def peer(a, b, points):
        y = np.zeros_like(b)
        for k in range(points):
            z = np.complex64(np.exp(2j * np.pi * (k + 0.5) / points))
            y += (z * np.linalg.solve(z * np.eye(len(a), dtype=np.complex64) - a, b)).real / f4(points)
        return y

    return Task(
        "integral of solutions around a circle, 100",
        ["builtins.contour"],
        [numbers(100, 100, low=-0.03, high=0.03), numbers(100, 50), 16],
        {"NumPy": peer},
        tolerance=2e-3,
    )


def singular():
    def peer(a):
        return np.linalg.svd(a, full_matrices=False)[1]

    return Task("svd, 300x200", ["builtins.singular"], [numbers(300, 200)], {"NumPy": peer}, tolerance=1e-3)


def eigenvalues():
    return Task(
        "eigenvectors of a symmetric matrix, 200",
        ["builtins.eigenvalues"],
        [positive(200)],
        {"NumPy": lambda a: np.linalg.eigh(a)[0]},
        tolerance=1e-3,
    )


def determinant():
    return Task("determinant, 300", ["builtins.determinant"], [positive(300)], {"NumPy": np.linalg.det}, tolerance=5e-3)


def kronecker():
    return Task("kron, 50x60 by 30x40", ["builtins.kronecker"], [numbers(50, 60), numbers(30, 40)], {"NumPy": np.kron})


def ridge():
    def peer(x, y, small):
        return np.linalg.solve(x.T @ x + small * np.eye(x.shape[1], dtype=f4), x.T @ y)

    return Task(
        "ridge regression, 10000x100",
        ["builtins.ridge"],
        [numbers(10000, 100), numbers(10000), 0.1],
        {"NumPy": peer},
        tolerance=2e-3,
    )


def logistic():
    def peer(x, y, rate, steps):
        w = np.zeros(x.shape[1], f4)
        for _ in range(steps):
            w -= rate / f4(len(x)) * (x.T @ (1 / (1 + np.exp(-(x @ w))) - y))
        return w

    x = numbers(10000, 50)
    y = (x @ numbers(50) > 0).astype(f4)
    return Task(
        "logistic regression, 10000x50, 20 steps",
        ["builtins.logistic"],
        [x, y, 0.5, 20],
        {"NumPy": peer},
        tolerance=1e-3,
    )


def conjugate():
    def peer(a, b, steps):
        x, r, p = np.zeros_like(b), b.copy(), b.copy()
        s = r @ r
        for _ in range(steps):
            q = a @ p
            alpha = s / (p @ q)
            x += alpha * p
            r -= alpha * q
            z = r @ r
            p = r + z / s * p
            s = z
        return x

    return Task(
        "conjugate gradients, 1000, 20 steps",
        ["builtins.conjugate"],
        [positive(1000), numbers(1000), 20],
        {"NumPy": peer},
        tolerance=5e-3,
    )


def powers():
    def peer(a, steps):
        v = np.full(len(a), 1 / np.sqrt(len(a)), f4)
        for _ in range(steps):
            v = a @ v
            v /= np.linalg.norm(v)
        return v

    return Task(
        "power iteration, 1000, 50 steps", ["builtins.powers"], [positive(1000), 50], {"NumPy": peer}, tolerance=1e-3
    )


def squared_distances():
    def peer(a, b):
        return (a * a).sum(1)[:, None] + (b * b).sum(1) - 2 * a @ b.T

    return Task(
        "squared distances, 2000x64 and 1500x64",
        ["builtins.squared_distances"],
        [numbers(2000, 64), numbers(1500, 64)],
        {"NumPy": peer},
        tolerance=1e-3,
    )


def product():
    return Task(
        "matrix product by blocks in shared memory, 512",
        ["kernels.product"],
        [numbers(512, 512), numbers(512, 512)],
        {"NumPy": np.matmul},
        tolerance=1e-3,
    )


def spectrum():
    return Task(
        "fft2 and abs, 1024",
        ["builtins.spectrum"],
        [numbers(1024, 1024)],
        {"SciPy": lambda x: np.abs(scipy.fft.fft2(x, workers=2))},
        tolerance=1e-3,
    )


def fast_convolution():
    def peer(x, w):
        product = scipy.fft.rfft2(x, workers=2) * scipy.fft.rfft2(w, workers=2)
        return scipy.fft.irfft2(product, x.shape, workers=2)

    return Task(
        "convolution by fft2, 1024",
        ["builtins.fast_convolution"],
        [numbers(1024, 1024), numbers(1024, 1024)],
        {"SciPy": peer},
        tolerance=1e-3,
    )


def running():
    return Task("cumsum, 4000000", ["builtins.running"], [numbers(4_000_000)], {"NumPy": np.cumsum}, tolerance=5e-3)


def selected():
    return Task("x[x > 0.5], 4000000", ["builtins.selected"], [numbers(4_000_000)], {"NumPy": lambda x: x[x > f4(0.5)]})


def deviations():
    return Task(
        "std of columns, 2000",
        ["builtins.deviations"],
        [numbers(2000, 2000)],
        {"NumPy": lambda x: x.std(0, ddof=1)},
        tolerance=1e-3,
    )


def largest():
    return Task("maximum of columns, 2000", ["builtins.largest"], [numbers(2000, 2000)], {"NumPy": lambda x: x.max(0)})


def sums():
    return Task(
        "sums of rows, 2000", ["rows.row_sums"], [numbers(2000, 2000)], {"NumPy": lambda x: x.sum(1)}, tolerance=1e-3
    )


def column_sums():
    return Task(
        "sums of columns, 2000",
        ["rows.column_sums"],
        [numbers(2000, 2000)],
        {"NumPy": lambda x: x.sum(0)},
        tolerance=1e-3,
    )


def joined():
    return Task(
        "four quarters by vertcat and horzcat",
        ["builtins.joined"],
        [numbers(1000, 1000), numbers(1000, 1000)],
        {
            "NumPy": lambda x, y: np.block([[x, y], [y, x]]),
            "OpenCV": lambda x, y: cv2.vconcat([cv2.hconcat([x, y]), cv2.hconcat([y, x])]),
        },
    )


def ordered():
    def peer(x):
        at = np.argsort(x, kind="stable")
        return x[at], at.astype(np.int32)

    return Task(
        "sort with places, 500000", ["builtins.ordered"], [SEED.permutation(500_000).astype(f4)], {"NumPy": peer}
    )


def turned():
    return Task(
        "rot90, 2048",
        ["builtins.turned"],
        [numbers(2048, 2048)],
        {
            "OpenCV": lambda x: cv2.rotate(x, cv2.ROTATE_90_COUNTERCLOCKWISE),
            "NumPy": lambda x: np.ascontiguousarray(np.rot90(x)),
        },
    )


def planes():
    return Task(
        "channels first, 1080x1920x3",
        ["builtins.planes"],
        [numbers(1080, 1920, 3)],
        {"OpenCV": lambda x: np.stack(cv2.split(x)), "NumPy": lambda x: np.ascontiguousarray(x.transpose(2, 0, 1))},
    )


@parallel
def polynomial_numba(x, c):
    y = np.zeros_like(x)
    for k in range(c.size - 1, -1, -1):
        y = y * x + c[k]
    return y


def polynomial():
    def peer(x, c):
        y = np.zeros_like(x)
        for k in range(c.size - 1, -1, -1):
            y *= x
            y += c[k]
        return y

    return Task(
        "polynomial by Horner on a vector, 1000000",
        ["builtins.polynomial"],
        [numbers(1_000_000), numbers(8)],
        {"NumPy": peer, "numba": polynomial_numba},
    )


def polar():
    return Task(
        "polar coordinates, 1024",
        ["chains.polar"],
        [numbers(1024, 1024), numbers(1024, 1024)],
        {"NumPy": lambda x, y: (np.hypot(x, y), np.arctan2(y, x))},
    )


@parallel
def adam_numba(p, m, v, g):
    m = f4(0.9) * m + f4(0.1) * g
    v = f4(0.999) * v + f4(0.001) * (g * g)
    return p - f4(0.001) * m / (np.sqrt(v) + f4(1e-8)), m, v


def adam():
    return Task(
        "a step of Adam, 1024", ["chains.adam"], [numbers(1024, 1024, low=0) for _ in range(4)], {"numba": adam_numba}
    )


@parallel
def black_scholes_loops(s, k, t, r, sigma):
    call, put = np.empty_like(s), np.empty_like(s)
    half, root = f4(0.5), f4(1 / np.sqrt(2))
    for i in prange(s.size):
        q = sigma * np.sqrt(t[i])
        d1 = (np.log(s[i] / k[i]) + (r + half * sigma * sigma) * t[i]) / q
        n1, n2 = half * (f4(1) + erf(d1 * root)), half * (f4(1) + erf((d1 - q) * root))
        e = k[i] * np.exp(-r * t[i])
        call[i] = s[i] * n1 - e * n2
        put[i] = call[i] - s[i] + e
    return call, put


def black_scholes():
    s, k = numbers(1_000_000, low=10, high=100), numbers(1_000_000, low=10, high=100)
    return Task(
        "Black-Scholes, 1000000",
        ["blackscholes.black_scholes", "blackscholes.black_scholes_loop"],
        [s, k, numbers(1_000_000, low=0.1, high=2), 0.02, 0.3],
        {"numba": black_scholes_loops},
    )


def histogram():
    return Task(
        "histogram by a kernel, bytes",
        ["kernels.histogram"],
        [photo(1080, 1920)],
        {
            "OpenCV": lambda x: cv2.calcHist([x], [0], None, [256], [0, 256]),
            "NumPy": lambda x: np.bincount(x.ravel(), minlength=256),
        },
    )


def filtered():
    def peer(x, w):
        return cv2.filter2D(x, -1, w, borderType=MIRROR)

    return Task("imfilter 7x7", ["builtins.filtered"], [gray(), numbers(7, 7, low=0, high=0.04)], {"OpenCV": peer})


def smoothed():
    w = np.exp(-0.5 * (np.arange(-6, 7) / 2) ** 2)
    w = (w / w.sum()).astype(f4)
    return Task(
        "gaussian_filter, sigma 2",
        ["builtins.smoothed"],
        [gray(), 2.0],
        {"OpenCV": lambda x, s: cv2.sepFilter2D(x, -1, w, w, borderType=MIRROR)},
        tolerance=2e-3,
    )


def eroded():
    return Task(
        "imerode 9x9",
        ["builtins.eroded"],
        [gray()],
        {"OpenCV": lambda x: cv2.erode(x, np.ones((9, 9), np.uint8), borderType=CLAMPED)},
    )


def medians():
    def peer(x, r):
        k = 2 * int(r) + 1
        return np.ascontiguousarray(cv2.medianBlur(cv2.copyMakeBorder(x, r, r, r, r, MIRROR), k)[r:-r, r:-r])

    return Task("immedfilt 5x5", ["builtins.medians"], [gray(), 2], {"OpenCV": peer})


def median_kernel():
    def peer(x):
        return np.ascontiguousarray(cv2.medianBlur(cv2.copyMakeBorder(x, 1, 1, 1, 1, MIRROR), 3)[1:-1, 1:-1])

    return Task("median 3x3 by insertion in a kernel", ["kernels.median"], [gray()], {"OpenCV": peer})


def resized():
    return Task(
        "imresize to 1620x2880, cubic",
        ["builtins.resized"],
        [gray(), 1620, 2880],
        {"OpenCV": lambda x, m, n: cv2.resize(x, (int(n), int(m)), interpolation=cv2.INTER_CUBIC)},
        tolerance=0.03,
    )


def lab():
    return Task(
        "RGB to Lab",
        ["builtins.lab"],
        [numbers(1080, 1920, 3, low=0, high=255)],
        {"OpenCV": lambda x: cv2.cvtColor(x * f4(1 / 255), cv2.COLOR_RGB2Lab)},
        tolerance=0.02,
    )


def luma():
    peer = {"OpenCV": lambda x: cv2.transform(x, LUMA)}
    return Task("RGB to YCbCr", ["builtins.luma"], [numbers(1080, 1920, 3, low=0, high=255)], peer, tolerance=1e-4)


def integral():
    return Task(
        "integral image by cumsum",
        ["builtins.integral"],
        [numbers(1080, 1920, low=0)],
        {"OpenCV": lambda x: cv2.integral(x, sdepth=cv2.CV_32F)[1:, 1:]},
        tolerance=1e-3,
    )


@parallel
def bilateral_loops(x, r, near, alike):
    y, two = np.empty_like(x), f4(2)
    for m in prange(x.shape[0]):
        for n in range(x.shape[1]):
            c, s, w = x[m, n], f4(0), f4(0)
            for dy in range(-r, r + 1):
                for dx in range(-r, r + 1):
                    v = x[mirror(m + dy, x.shape[0]), mirror(n + dx, x.shape[1])]
                    k = np.exp(-f4(dy * dy + dx * dx) / (two * near * near) - (v - c) * (v - c) / (two * alike * alike))
                    s += k * v
                    w += k
            y[m, n] = s / w
    return y


def bilateral():
    return Task(
        "bilateral filter 7x7, 512",
        ["bilateral.bilateral", "bilateral.bilateral_table", "kernels.bilateral"],
        [photo(512, 512).astype(f4), 3, 3.0, 30.0],
        {"numba": bilateral_loops},
        tolerance=1e-3,
    )


@parallel
def rotated_loops(x, angle):
    rows, columns = x.shape
    y, c, s, half = np.empty_like(x), np.cos(angle), np.sin(angle), f4(0.5)
    h, w = f4(rows) * half, f4(columns) * half
    for m in prange(rows):
        for n in range(columns):
            p, q = c * (f4(m) - h) - s * (f4(n) - w) + h, s * (f4(m) - h) + c * (f4(n) - w) + w
            y[m, n] = x[
                min(max(int(np.floor(p + half)), 0), rows - 1), min(max(int(np.floor(q + half)), 0), columns - 1)
            ]
    return y


def rotated_kernel():
    return Task(
        "rotation by a kernel, nearest", ["kernels.rotated"], [gray(), 0.3], {"numba": rotated_loops}, share=0.02
    )


TASKS = [
    solved,
    inverse,
    orthogonal,
    contour,
    singular,
    eigenvalues,
    determinant,
    kronecker,
    ridge,
    logistic,
    conjugate,
    powers,
    squared_distances,
    product,
    spectrum,
    fast_convolution,
    running,
    selected,
    deviations,
    largest,
    sums,
    column_sums,
    joined,
    ordered,
    turned,
    planes,
    polynomial,
    polar,
    adam,
    black_scholes,
    histogram,
    filtered,
    smoothed,
    eroded,
    medians,
    median_kernel,
    resized,
    lab,
    luma,
    integral,
    bilateral,
    rotated_kernel,
]
