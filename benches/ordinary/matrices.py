"""Products and decompositions of matrices: NumPy and SciPy (OpenBLAS), and numba on the same loops."""

import numpy as np
import scipy.linalg
from numba import prange
from scipy.linalg import blas, lapack

from tasks import Task, numbers, parallel, serial

f4 = np.float32


def two_mm():
    a, b, c, d = (numbers(512, 512) for _ in range(4))
    return Task(
        "2mm, 512",
        ["linear.two_mm", "linear.two_mm_loops"],
        [1.5, 1.2, a, b, c, d],
        {"NumPy": lambda p, q, a, b, c, d: p * (a @ b) @ c + q * d},
        tolerance=1e-3,
    )


def three_mm():
    return Task(
        "3mm, 512",
        ["linear.three_mm"],
        [numbers(512, 512) for _ in range(4)],
        {"NumPy": lambda a, b, c, d: (a @ b) @ (c @ d)},
        tolerance=1e-3,
    )


@parallel
def atax_loops(a, x):
    y = np.zeros(a.shape[1], f4)
    for i in range(a.shape[0]):
        t = f4(0)
        for j in range(a.shape[1]):
            t += a[i, j] * x[j]
        for j in range(a.shape[1]):
            y[j] += a[i, j] * t
    return y


def atax():
    return Task(
        "atax, 2000x2200",
        ["linear.atax", "linear.atax_loops"],
        [numbers(2000, 2200), numbers(2200)],
        {"NumPy": lambda a, x: (a @ x) @ a, "numba": atax_loops},
    )


@parallel
def bicg_loops(a, p, r):
    s, q = np.zeros(a.shape[1], f4), np.zeros(a.shape[0], f4)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            s[j] += r[i] * a[i, j]
            q[i] += a[i, j] * p[j]
    return s, q


def bicg():
    return Task(
        "bicg, 2200x2000",
        ["linear.bicg", "linear.bicg_loops"],
        [numbers(2200, 2000), numbers(2000), numbers(2200)],
        {"NumPy": lambda a, p, r: (r @ a, a @ p), "numba": bicg_loops},
    )


@parallel
def mvt_loops(a, u, v, y1, y2):
    x1, x2 = u.copy(), v.copy()
    for i in prange(a.shape[0]):
        for j in range(a.shape[0]):
            x1[i] += a[i, j] * y1[j]
    for i in prange(a.shape[0]):
        for j in range(a.shape[0]):
            x2[i] += a[j, i] * y2[j]
    return x1, x2


def mvt():
    return Task(
        "mvt, 2000",
        ["linear.mvt", "linear.mvt_loops"],
        [numbers(2000, 2000), *(numbers(2000) for _ in range(4))],
        {"NumPy": lambda a, u, v, y, z: (u + a @ y, v + z @ a), "numba": mvt_loops},
    )


def gemver_numpy(alpha, beta, a, u1, v1, u2, v2, y, z):
    a = a + np.outer(u1, v1) + np.outer(u2, v2)
    x = beta * (y @ a) + z
    return alpha * (a @ x), x


@parallel
def gemver_loops(alpha, beta, a0, u1, v1, u2, v2, y, z):
    n = a0.shape[0]
    a, x, w = np.empty_like(a0), z.copy(), np.zeros(n, f4)
    for i in prange(n):
        for j in range(n):
            a[i, j] = a0[i, j] + u1[i] * v1[j] + u2[i] * v2[j]
    for i in prange(n):
        for j in range(n):
            x[i] += beta * a[j, i] * y[j]
    for i in prange(n):
        for j in range(n):
            w[i] += alpha * a[i, j] * x[j]
    return w, x


def gemver():
    return Task(
        "gemver, 2000",
        ["linear.gemver", "linear.gemver_loops"],
        [1.5, 1.2, numbers(2000, 2000), *(numbers(2000) for _ in range(6))],
        {"NumPy": gemver_numpy, "numba": gemver_loops},
        tolerance=1e-3,
    )


@parallel
def gesummv_loops(alpha, beta, a, b, x):
    y = np.empty(a.shape[0], f4)
    for i in prange(a.shape[0]):
        s, t = f4(0), f4(0)
        for j in range(a.shape[1]):
            s += a[i, j] * x[j]
            t += b[i, j] * x[j]
        y[i] = alpha * s + beta * t
    return y


def gesummv():
    return Task(
        "gesummv, 2000",
        ["linear.gesummv", "linear.gesummv_loops"],
        [1.5, 1.2, numbers(2000, 2000), numbers(2000, 2000), numbers(2000)],
        {"NumPy": lambda p, q, a, b, x: p * (a @ x) + q * (b @ x), "numba": gesummv_loops},
    )


def symm():
    def peer(alpha, beta, a, b, c):
        return blas.ssymm(alpha, a.T, b.T, beta, c.T, side=1, lower=0).T

    return Task(
        "symm, 512x600",
        ["linear.symm"],
        [1.5, 1.2, numbers(512, 512), numbers(512, 600), numbers(512, 600)],
        {"BLAS": peer},
        tolerance=1e-3,
    )


@parallel
def syrk_loops(alpha, beta, a, c):
    y = c.copy()
    for i in prange(a.shape[0]):
        for j in range(i + 1):
            s = f4(0)
            for k in range(a.shape[1]):
                s += a[i, k] * a[j, k]
            y[i, j] = beta * c[i, j] + alpha * s
    return y


def syrk():
    def peer(alpha, beta, a, c):
        return blas.ssyrk(alpha, a.T, beta, c.T, trans=1, lower=0).T

    return Task(
        "syrk, 512x600",
        ["linear.syrk", "linear.syrk_slices"],
        [1.5, 1.2, numbers(512, 600), numbers(512, 512)],
        {"BLAS": peer, "numba": syrk_loops},
        tolerance=1e-3,
    )


@parallel
def syr2k_loops(alpha, beta, a, b, c):
    y = c.copy()
    for i in prange(a.shape[0]):
        for j in range(i + 1):
            y[i, j] *= beta
            for k in range(a.shape[1]):
                y[i, j] += alpha * (a[j, k] * b[i, k] + b[j, k] * a[i, k])
    return y


def syr2k():
    def peer(alpha, beta, a, b, c):
        return blas.ssyr2k(alpha, a.T, b.T, beta, c.T, trans=1, lower=0).T

    return Task(
        "syr2k, 512x600",
        ["linear.syr2k"],
        [1.5, 1.2, numbers(512, 600), numbers(512, 600), numbers(512, 512)],
        {"BLAS": peer, "numba": syr2k_loops},
        tolerance=1e-3,
    )


def trmm():
    def peer(alpha, a, b):
        return blas.strmm(alpha, a.T, b.T, side=1, lower=0, trans_a=1, diag=1).T

    return Task(
        "trmm, 512x600", ["linear.trmm"], [1.5, numbers(512, 512), numbers(512, 600)], {"BLAS": peer}, tolerance=1e-3
    )


@parallel
def doitgen_loops(a, c4):
    y = np.empty_like(a)
    for r in prange(a.shape[0]):
        for q in range(a.shape[1]):
            for p in range(a.shape[2]):
                s = f4(0)
                for k in range(a.shape[2]):
                    s += a[r, q, k] * c4[k, p]
                y[r, q, p] = s
    return y


def doitgen():
    return Task(
        "doitgen, 60x80x128",
        ["linear.doitgen", "linear.doitgen_slices"],
        [numbers(60, 80, 128), numbers(128, 128)],
        {"NumPy": lambda a, c: a @ c, "numba": doitgen_loops},
    )


def positive(n):
    a = numbers(n, n)
    return (a @ a.T / f4(n) + np.eye(n, dtype=f4)).astype(f4)


def cholesky():
    def library(a):
        return np.tril(lapack.spotrf(a.T, lower=0, clean=0)[0].T)

    return Task(
        "cholesky, 500",
        ["linear.cholesky_loops", "linear.cholesky_slices", "linear.cholesky_library"],
        [positive(500)],
        {"LAPACK": library, "NumPy": np.linalg.cholesky},
        tolerance=1e-3,
    )


@serial
def lu_loops(a):
    y = a.copy()
    for k in range(a.shape[0] - 1):
        for i in range(k + 1, a.shape[0]):
            y[i, k] /= y[k, k]
            for j in range(k + 1, a.shape[0]):
                y[i, j] -= y[i, k] * y[k, j]
    return y


def lu_numpy(a):
    y = a.copy()
    for k in range(a.shape[0] - 1):
        y[k + 1 :, k] /= y[k, k]
        y[k + 1 :, k + 1 :] -= np.outer(y[k + 1 :, k], y[k, k + 1 :])
    return y


def lu():
    return Task(
        "lu without exchanges, 500",
        ["linear.lu_loops", "linear.lu_steps", "linear.lu_slices"],
        [positive(500)],
        {"numba": lu_loops, "NumPy": lu_numpy},
        tolerance=1e-3,
    )


@serial
def durbin_loops(r):
    y = np.zeros_like(r)
    y[0] = alpha = -r[0]
    beta = f4(1)
    for k in range(1, r.size):
        beta *= f4(1) - alpha * alpha
        s = f4(0)
        for i in range(k):
            s += r[k - i - 1] * y[i]
        alpha = -(r[k] + s) / beta
        z = y.copy()
        for i in range(k):
            y[i] = z[i] + alpha * z[k - i - 1]
        y[k] = alpha
    return y


def durbin_numpy(r):
    y = np.zeros_like(r)
    y[0] = alpha = -r[0]
    beta = f4(1)
    for k in range(1, r.size):
        beta *= 1 - alpha * alpha
        alpha = -(r[k] + np.dot(r[k - 1 :: -1][:k], y[:k])) / beta
        y[:k] += alpha * y[k - 1 :: -1][:k]
        y[k] = alpha
    return y


def durbin():
    r = (0.5 ** np.arange(2000) + 1e-3 * numbers(2000)).astype(f4) * f4(0.5)
    return Task(
        "durbin, 2000",
        ["linear2.durbin", "linear2.durbin_slices"],
        [r],
        {"numba": durbin_loops, "NumPy": durbin_numpy},
        tolerance=1e-3,
    )


@parallel
def gramschmidt_loops(a0):
    a, q, r = a0.copy(), np.zeros_like(a0), np.zeros((a0.shape[1], a0.shape[1]), f4)
    for k in range(a.shape[1]):
        s = f4(0)
        for i in range(a.shape[0]):
            s += a[i, k] * a[i, k]
        r[k, k] = np.sqrt(s)
        for i in range(a.shape[0]):
            q[i, k] = a[i, k] / r[k, k]
        for j in prange(k + 1, a.shape[1]):
            t = f4(0)
            for i in range(a.shape[0]):
                t += q[i, k] * a[i, j]
            r[k, j] = t
            for i in range(a.shape[0]):
                a[i, j] -= q[i, k] * t
    return q, r


def gramschmidt_numpy(a0):
    a, q, r = a0.copy(), np.zeros_like(a0), np.zeros((a0.shape[1], a0.shape[1]), f4)
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        q[:, k] = a[:, k] / r[k, k]
        r[k, k + 1 :] = q[:, k] @ a[:, k + 1 :]
        a[:, k + 1 :] -= np.outer(q[:, k], r[k, k + 1 :])
    return q, r


def gramschmidt():
    return Task(
        "gramschmidt, 400x300",
        ["linear2.gramschmidt", "linear2.gramschmidt_slices"],
        [numbers(400, 300)],
        {"NumPy": gramschmidt_numpy, "numba": gramschmidt_loops},
        tolerance=1e-3,
    )


def covariance():
    return Task(
        "covariance, 1000x400",
        ["linear2.covariance", "linear2.covariance_loops"],
        [numbers(1000, 400, low=0)],
        {"NumPy": lambda x: ((d := x - x.mean(0)).T @ d) / f4(len(x) - 1)},
        tolerance=1e-3,
    )


def correlation():
    def peer(x):
        d = x - x.mean(0)
        d /= np.sqrt((d * d).sum(0))
        return d.T @ d

    return Task(
        "correlation, 1000x400",
        ["linear2.correlation", "linear2.correlation_loops"],
        [numbers(1000, 400, low=0)],
        {"NumPy": peer},
        tolerance=1e-3,
    )


def trisolv():
    a = np.tril(numbers(2000, 2000, low=-1e-3, high=1e-3)) + 1.5 * np.eye(2000, dtype=f4)
    return Task(
        "trisolv, 2000",
        ["order.forward"],
        [a.astype(f4), numbers(2000)],
        {"BLAS": lambda a, b: blas.strsv(a.T, b, lower=0, trans=1)},
    )


def backward():
    u = np.triu(numbers(2000, 2000, low=-1e-3, high=1e-3)) + 1.5 * np.eye(2000, dtype=f4)
    return Task(
        "back substitution by slices, 2000",
        ["linear2.backward"],
        [u.astype(f4), numbers(2000)],
        {"BLAS": lambda u, b: blas.strsv(u.T, b, lower=1, trans=1)},
    )


@parallel
def paths_loops(w):
    d = w.copy()
    n = len(w)
    for k in range(n):
        for i in prange(n):
            for j in range(n):
                d[i, j] = min(d[i, j], d[i, k] + d[k, j])
    return d


def paths_numpy(w):
    d = w.copy()
    for k in range(len(w)):
        d = np.minimum(d, d[:, k, None] + d[k])
    return d


def paths():
    return Task(
        "floyd-warshall, 400",
        ["order.paths"],
        [numbers(400, 400, low=1, high=100)],
        {"NumPy": paths_numpy, "numba": paths_loops},
    )


TASKS = [
    two_mm,
    three_mm,
    atax,
    bicg,
    mvt,
    gemver,
    gesummv,
    symm,
    syrk,
    syr2k,
    trmm,
    doitgen,
    cholesky,
    lu,
    durbin,
    gramschmidt,
    covariance,
    correlation,
    trisolv,
    backward,
    paths,
]
