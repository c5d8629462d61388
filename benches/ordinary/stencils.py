"""Steps of differential equations and recurrences over grids: numba on the same loops, and NumPy on slices."""

import numpy as np
from numba import prange

from tasks import Task, numbers, parallel, serial

f4 = np.float32
FIFTH, THIRD, EIGHTH = f4(0.2), f4(3), f4(0.125)


@parallel
def jacobi1d_loops(a0, steps):
    a, b = a0.copy(), a0.copy()
    for _ in range(steps):
        for i in prange(1, a.size - 1):
            b[i] = (a[i - 1] + a[i] + a[i + 1]) / THIRD
        for i in prange(1, a.size - 1):
            a[i] = (b[i - 1] + b[i] + b[i + 1]) / THIRD
    return a


def jacobi1d_numpy(a0, steps):
    a, b = a0.copy(), a0.copy()
    for _ in range(steps):
        b[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
        a[1:-1] = (b[:-2] + b[1:-1] + b[2:]) / 3
    return a


def jacobi1d():
    return Task(
        "jacobi 1d, 100000, 100 steps",
        ["stencils.jacobi1d", "stencils.jacobi1d_slices"],
        [numbers(100_000), 100],
        {"numba": jacobi1d_loops, "NumPy": jacobi1d_numpy},
    )


@parallel
def jacobi2d_loops(a0, steps):
    a, b = a0.copy(), a0.copy()
    for _ in range(steps):
        for i in prange(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                b[i, j] = FIFTH * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])
        for i in prange(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = FIFTH * (b[i, j] + b[i, j - 1] + b[i, j + 1] + b[i + 1, j] + b[i - 1, j])
    return a


def jacobi2d():
    return Task(
        "jacobi 2d, 1000, 20 steps",
        ["stencils.jacobi2d", "kernels.jacobi"],
        [numbers(1000, 1000), 20],
        {"numba": jacobi2d_loops},
    )


@serial
def heat_at(a, i, j, k):
    s = EIGHTH * (a[i + 1, j, k] - f4(2) * a[i, j, k] + a[i - 1, j, k])
    s += EIGHTH * (a[i, j + 1, k] - f4(2) * a[i, j, k] + a[i, j - 1, k])
    return s + EIGHTH * (a[i, j, k + 1] - f4(2) * a[i, j, k] + a[i, j, k - 1]) + a[i, j, k]


@parallel
def heat3d_loops(a0, steps):
    a, b = a0.copy(), a0.copy()
    n = a.shape[0]
    for _ in range(steps):
        for i in prange(1, n - 1):
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    b[i, j, k] = heat_at(a, i, j, k)
        for i in prange(1, n - 1):
            for j in range(1, n - 1):
                for k in range(1, n - 1):
                    a[i, j, k] = heat_at(b, i, j, k)
    return a


def heat3d():
    return Task(
        "heat 3d, 120, 10 steps",
        ["stencils.heat3d", "stencils.heat3d_slices"],
        [numbers(120, 120, 120), 10],
        {"numba": heat3d_loops},
    )


@parallel
def fdtd2d_loops(ex0, ey0, hz0, source):
    ex, ey, hz = ex0.copy(), ey0.copy(), hz0.copy()
    rows, columns = ex.shape
    for t in range(source.size):
        for j in range(columns):
            ey[0, j] = source[t]
        for i in prange(1, rows):
            for j in range(columns):
                ey[i, j] -= f4(0.5) * (hz[i, j] - hz[i - 1, j])
        for i in prange(rows):
            for j in range(1, columns):
                ex[i, j] -= f4(0.5) * (hz[i, j] - hz[i, j - 1])
        for i in prange(rows - 1):
            for j in range(columns - 1):
                hz[i, j] -= f4(0.7) * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
    return ex, ey, hz


def fdtd2d_numpy(ex0, ey0, hz0, source):
    ex, ey, hz = ex0.copy(), ey0.copy(), hz0.copy()
    for t in range(source.size):
        ey[0] = source[t]
        ey[1:] -= f4(0.5) * (hz[1:] - hz[:-1])
        ex[:, 1:] -= f4(0.5) * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= f4(0.7) * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return ex, ey, hz


def fdtd2d():
    return Task(
        "fdtd 2d, 800x1000, 20 steps",
        ["stencils.fdtd2d", "stencils.fdtd2d_slices"],
        [*(numbers(800, 1000) for _ in range(3)), numbers(20)],
        {"numba": fdtd2d_loops, "NumPy": fdtd2d_numpy},
    )


@serial
def seidel2d_loops(a0, steps):
    a = a0.copy()
    for _ in range(steps):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = (
                    a[i - 1, j - 1]
                    + a[i - 1, j]
                    + a[i - 1, j + 1]
                    + a[i, j - 1]
                    + a[i, j]
                    + a[i, j + 1]
                    + a[i + 1, j - 1]
                    + a[i + 1, j]
                    + a[i + 1, j + 1]
                ) / f4(9)
    return a


def seidel2d():
    return Task("seidel 2d, 500, 10 steps", ["stencils.seidel2d"], [numbers(500, 500), 10], {"numba": seidel2d_loops})


@parallel
def adi_loops(u0, steps, r):
    u = u0.copy()
    n = len(u)
    v, p, q, h = np.zeros_like(u), np.zeros_like(u), np.zeros_like(u), f4(0.5) * r
    for _ in range(steps):
        for i in prange(1, n - 1):
            v[0, i], p[i, 0], q[i, 0] = 1, 0, 1
            for j in range(1, n - 1):
                d = f4(1) + r - h * p[i, j - 1]
                p[i, j] = h / d
                q[i, j] = (h * u[j, i - 1] + (f4(1) - r) * u[j, i] + h * u[j, i + 1] + h * q[i, j - 1]) / d
            v[n - 1, i] = 1
            for j in range(n - 2, 0, -1):
                v[j, i] = p[i, j] * v[j + 1, i] + q[i, j]
        for i in prange(1, n - 1):
            u[i, 0], p[i, 0], q[i, 0] = 1, 0, 1
            for j in range(1, n - 1):
                d = f4(1) + r - h * p[i, j - 1]
                p[i, j] = h / d
                q[i, j] = (h * v[i - 1, j] + (f4(1) - r) * v[i, j] + h * v[i + 1, j] + h * q[i, j - 1]) / d
            u[i, n - 1] = 1
            for j in range(n - 2, 0, -1):
                u[i, j] = p[i, j] * u[i, j + 1] + q[i, j]
    return u


def adi():
    return Task("adi, 500, 5 steps", ["stencils.adi"], [numbers(500, 500), 5, 0.7], {"numba": adi_loops})


@parallel
def deriche_loops(x, alpha):
    rows, columns = x.shape
    e = np.exp(-alpha)
    a1 = (f4(1) - e) ** 2 / (f4(1) + f4(2) * alpha * e - np.exp(f4(2) * alpha))
    a2, a3, a4 = a1 * e * (alpha - f4(1)), a1 * e * (alpha + f4(1)), -a1 * np.exp(f4(-2) * alpha)
    b1, b2 = f4(2) ** -alpha, -np.exp(f4(-2) * alpha)
    t, s, y = np.empty_like(x), np.empty_like(x), np.empty_like(x)
    for i in prange(rows):
        x1 = y1 = y2 = f4(0)
        for j in range(columns):
            t[i, j] = a1 * x[i, j] + a2 * x1 + b1 * y1 + b2 * y2
            x1, y2, y1 = x[i, j], y1, t[i, j]
        x1 = x2 = y1 = y2 = f4(0)
        for j in range(columns - 1, -1, -1):
            s[i, j] = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2
            x2, x1, y2, y1 = x1, x[i, j], y1, s[i, j]
        for j in range(columns):
            s[i, j] += t[i, j]
    for j in prange(columns):
        x1 = y1 = y2 = f4(0)
        for i in range(rows):
            t[i, j] = a1 * s[i, j] + a2 * x1 + b1 * y1 + b2 * y2
            x1, y2, y1 = s[i, j], y1, t[i, j]
        x1 = x2 = y1 = y2 = f4(0)
        for i in range(rows - 1, -1, -1):
            y[i, j] = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2
            x2, x1, y2, y1 = x1, s[i, j], y1, y[i, j]
    return y + t


def deriche():
    return Task("deriche, 1080x1920", ["stencils.deriche"], [numbers(1080, 1920), 0.25], {"numba": deriche_loops})


def hdiff_numpy(x, c):
    lap = 4 * x[1:-1, 1:-1] - (x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2])
    fx = lap[1:, 1:-1] - lap[:-1, 1:-1]
    fx[fx * (x[2:-1, 2:-2] - x[1:-2, 2:-2]) > 0] = 0
    fy = lap[1:-1, 1:] - lap[1:-1, :-1]
    fy[fy * (x[2:-2, 2:-1] - x[2:-2, 1:-2]) > 0] = 0
    return x[2:-2, 2:-2] - c * (fx[1:] - fx[:-1] + fy[:, 1:] - fy[:, :-1])


@parallel
def hdiff_loops(x, c):
    rows, columns, levels = c.shape
    lap, fx = np.empty((rows + 2, columns + 2, levels), f4), np.empty((rows + 1, columns, levels), f4)
    fy, y = np.empty((rows, columns + 1, levels), f4), np.empty_like(c)
    for i in prange(rows + 2):
        for j in range(columns + 2):
            for k in range(levels):
                around = x[i + 2, j + 1, k] + x[i, j + 1, k] + x[i + 1, j + 2, k] + x[i + 1, j, k]
                lap[i, j, k] = f4(4) * x[i + 1, j + 1, k] - around
    for i in prange(rows + 1):
        for j in range(columns):
            for k in range(levels):
                f = lap[i + 1, j + 1, k] - lap[i, j + 1, k]
                fx[i, j, k] = f4(0) if f * (x[i + 2, j + 2, k] - x[i + 1, j + 2, k]) > 0 else f
    for i in prange(rows):
        for j in range(columns + 1):
            for k in range(levels):
                f = lap[i + 1, j + 1, k] - lap[i + 1, j, k]
                fy[i, j, k] = f4(0) if f * (x[i + 2, j + 2, k] - x[i + 2, j + 1, k]) > 0 else f
    for i in prange(rows):
        for j in range(columns):
            for k in range(levels):
                y[i, j, k] = x[i + 2, j + 2, k] - c[i, j, k] * (
                    fx[i + 1, j, k] - fx[i, j, k] + fy[i, j + 1, k] - fy[i, j, k]
                )
    return y


def hdiff():
    return Task(
        "hdiff, 128x128x80",
        ["flows.hdiff", "flows.hdiff_loops"],
        [numbers(132, 132, 80), numbers(128, 128, 80, low=0)],
        {"numba": hdiff_loops, "NumPy": hdiff_numpy},
    )


@parallel
def vadv_loops(x, w):
    rows, columns, levels = x.shape
    y, c, d = np.empty_like(x), np.empty_like(x), np.empty_like(x)
    for i in prange(rows):
        for j in range(columns):
            c[i, j, 0], d[i, j, 0] = w[i, j, 0], x[i, j, 0]
            for k in range(1, levels):
                a = -w[i, j, k - 1]
                m = f4(1) / (f4(1.5) - a * c[i, j, k - 1])
                c[i, j, k] = w[i, j, k] * m
                d[i, j, k] = (x[i, j, k] - a * d[i, j, k - 1]) * m
            y[i, j, levels - 1] = d[i, j, levels - 1]
            for k in range(levels - 2, -1, -1):
                y[i, j, k] = d[i, j, k] - c[i, j, k] * y[i, j, k + 1]
    return y


def vadv():
    return Task(
        "vadv, 128x128x80",
        ["flows.vadv", "flows.vadv_slices"],
        [numbers(128, 128, 80), numbers(128, 128, 80, low=0, high=0.3)],
        {"numba": vadv_loops},
        tolerance=1e-3,
    )


def pressure(p, b, h, steps):
    f = f4(h * h)
    for _ in range(steps):
        q = p.copy()
        p[1:-1, 1:-1] = ((q[1:-1, 2:] + q[1:-1, :-2]) * f + (q[2:, 1:-1] + q[:-2, 1:-1]) * f) / (4 * f) - f / 4 * b[
            1:-1, 1:-1
        ]
        p[:, -1], p[0], p[:, 0] = p[:, -2], p[1], p[:, 1]
        p[-1] = 0
    return p


def moved(u, a, b, p, h, dt, nu):
    c, gradient = u[1:-1, 1:-1], p * dt / (2 * h)
    spread = u[1:-1, 2:] + u[1:-1, :-2] + u[2:, 1:-1] + u[:-2, 1:-1] - 4 * c
    return c - dt / h * a * (c - u[1:-1, :-2]) - dt / h * b * (c - u[:-2, 1:-1]) - gradient + nu * dt / h**2 * spread


def cavity_numpy(n, steps, inner, dt, rho, nu):
    u, v, p, b = (np.zeros((n, n), f4) for _ in range(4))
    h = f4(2 / (n - 1))
    for _ in range(steps):
        ux, uy = (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * h), (u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * h)
        vx, vy = (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * h), (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * h)
        b[1:-1, 1:-1] = rho * ((ux + vy) / dt - ux * ux - 2 * uy * vx - vy * vy)
        p = pressure(p, b, h, inner)
        a, c = u[1:-1, 1:-1].copy(), v[1:-1, 1:-1].copy()
        u[1:-1, 1:-1] = moved(u, a, c, (p[1:-1, 2:] - p[1:-1, :-2]) / rho, h, dt, nu)
        v[1:-1, 1:-1] = moved(v, a, c, (p[2:, 1:-1] - p[:-2, 1:-1]) / rho, h, dt, nu)
        u[0] = u[:, 0] = u[:, -1] = 0
        u[-1] = 1
        v[0] = v[-1] = v[:, 0] = v[:, -1] = 0
    return u, v, p


def cavity():
    return Task(
        "cavity flow, 101, 10 steps of 50",
        ["flows.cavity"],
        [101, 10, 50, 0.001, 1.0, 0.1],
        {"NumPy": cavity_numpy},
        tolerance=2e-3,
    )


@parallel
def channel_loops(p0, b, steps):
    p = p0.copy()
    rows, columns = p.shape
    for _ in range(steps):
        q = np.empty_like(p)
        for i in prange(1, rows - 1):
            for j in range(columns):
                right = p[i, j + 1] if j + 1 < columns else p[i, 0]
                q[i, j] = f4(0.25) * (right + p[i, j - 1] + p[i + 1, j] + p[i - 1, j] - b[i, j])
        for j in range(columns):
            q[0, j], q[rows - 1, j] = q[1, j], q[rows - 2, j]
        p = q
    return p


def channel():
    return Task(
        "channel flow, 500, 50 steps",
        ["flows.channel"],
        [numbers(500, 500), numbers(500, 500), 50],
        {"numba": channel_loops},
    )


TASKS = [jacobi1d, jacobi2d, heat3d, fdtd2d, seidel2d, adi, deriche, hdiff, vadv, cavity, channel]
