"""Filters of gray images: OpenCV where it knows them, numba on the same loops."""

import cv2
import numpy as np
from numba import njit, prange

from tasks import Task, numbers, noise, parallel, photo, serial

cv2.setNumThreads(2)
f4 = np.float32
MIRROR, CLAMPED = cv2.BORDER_REFLECT, cv2.BORDER_REPLICATE
BELL = np.array([1, 4, 6, 4, 1], f4) / f4(16)


def gray(rows=1080, columns=1920):
    return photo(rows, columns).astype(f4)


@njit(inline="always")
def mirror(i, n):
    return -1 - i if i < 0 else (2 * n - 1 - i if i >= n else i)


@njit(inline="always")
def clamp(i, n):
    return min(max(i, 0), n - 1)


@parallel
def gauss5_loops(x):
    y = np.empty_like(x)
    for m in prange(x.shape[0]):
        for n in range(x.shape[1]):
            s = f4(0)
            for i in range(-2, 3):
                for j in range(-2, 3):
                    s += BELL[i + 2] * BELL[j + 2] * x[mirror(m + i, x.shape[0]), mirror(n + j, x.shape[1])]
            y[m, n] = s
    return y


def gauss5():
    return Task(
        "gauss 5x5",
        ["images.gauss5"],
        [gray()],
        {"OpenCV": lambda x: cv2.sepFilter2D(x, -1, BELL, BELL, borderType=MIRROR), "numba": gauss5_loops},
    )


def unsharp():
    def peer(x, amount):
        soft = cv2.sepFilter2D(x, -1, BELL, BELL, borderType=MIRROR)
        return np.clip(cv2.addWeighted(x, 1 + float(amount), soft, -float(amount), 0), 0, 255)

    return Task("unsharp mask", ["images.unsharp"], [gray(), 0.7], {"OpenCV": peer})


@serial
def at(x, m, n):
    return x[m, n] if 0 <= m < x.shape[0] and 0 <= n < x.shape[1] else f4(0)


@parallel
def edges_loops(x, low):
    rows, columns = x.shape
    s, g, d, y = np.empty_like(x), np.empty_like(x), np.empty(x.shape, np.int32), np.empty(x.shape, np.uint8)
    for m in prange(rows):
        u, v = mirror(m - 1, rows), mirror(m + 1, rows)
        for n in range(columns):
            l, r = mirror(n - 1, columns), mirror(n + 1, columns)
            s[m, n] = (
                x[u, l]
                + f4(2) * x[u, n]
                + x[u, r]
                + f4(2) * x[m, l]
                + f4(4) * x[m, n]
                + f4(2) * x[m, r]
                + x[v, l]
                + f4(2) * x[v, n]
                + x[v, r]
            ) / f4(16)
    for m in prange(rows):
        u, v = mirror(m - 1, rows), mirror(m + 1, rows)
        for n in range(columns):
            l, r = mirror(n - 1, columns), mirror(n + 1, columns)
            gx = s[u, r] + f4(2) * s[m, r] + s[v, r] - s[u, l] - f4(2) * s[m, l] - s[v, l]
            gy = s[v, l] + f4(2) * s[v, n] + s[v, r] - s[u, l] - f4(2) * s[u, n] - s[u, r]
            g[m, n] = np.sqrt(gx * gx + gy * gy)
            if abs(gy) < f4(0.4142) * abs(gx):
                d[m, n] = 0
            elif abs(gx) < f4(0.4142) * abs(gy):
                d[m, n] = 2
            else:
                d[m, n] = 1 if gx * gy > 0 else 3
    for m in prange(rows):
        for n in range(columns):
            k = d[m, n]
            dy, dx = (0 if k == 0 else -1), (-1 if k < 2 else (0 if k == 2 else 1))
            a, b, c = at(g, m + dy, n + dx), at(g, m - dy, n - dx), g[m, n]
            y[m, n] = 255 if c > low and c >= a and c > b else 0
    return y


def edges():
    return Task("edges thinned along gradients", ["images.edges"], [gray(), 60.0], {"numba": edges_loops}, share=2e-3)


@parallel
def sobel_loops(x, threshold):
    y = np.empty(x.shape, np.uint8)
    for m in prange(x.shape[0]):
        u, v = clamp(m - 1, x.shape[0]), clamp(m + 1, x.shape[0])
        for n in range(x.shape[1]):
            l, r = clamp(n - 1, x.shape[1]), clamp(n + 1, x.shape[1])
            gx = x[u, r] + f4(2) * x[m, r] + x[v, r] - x[u, l] - f4(2) * x[m, l] - x[v, l]
            gy = x[v, l] + f4(2) * x[v, n] + x[v, r] - x[u, l] - f4(2) * x[u, n] - x[u, r]
            y[m, n] = 255 if np.sqrt(gx * gx + gy * gy) > threshold else 0
    return y


def sobel():
    def peer(x, threshold):
        gx = cv2.Sobel(x, cv2.CV_32F, 1, 0, borderType=CLAMPED)
        gy = cv2.Sobel(x, cv2.CV_32F, 0, 1, borderType=CLAMPED)
        return cv2.threshold(cv2.magnitude(gx, gy), float(threshold), 255, cv2.THRESH_BINARY)[1]

    return Task(
        "sobel and a threshold",
        ["sobel.sobel", "sobel.sobel_bytes"],
        [gray(), 60.0],
        {"OpenCV": peer, "numba": sobel_loops},
        share=2e-3,
    )


def otsu():
    def peer(x):
        level, y = cv2.threshold(x, 0, 255, cv2.THRESH_OTSU)
        return y, np.int32(level)

    return Task("threshold of Otsu, bytes", ["images.otsu"], [photo(1080, 1920)], {"OpenCV": peer}, share=1e-3)


def equalise():
    return Task(
        "histogram equalisation, bytes",
        ["images.equalise"],
        [photo(1080, 1920)],
        {"OpenCV": cv2.equalizeHist},
        tolerance=1.1 / 255,
    )


@parallel
def tiles_loops(x, tiles):
    th, tw = x.shape[0] // tiles, x.shape[1] // tiles
    tables, y = np.zeros((tiles, tiles, 256), f4), np.empty(x.shape, f4)
    for a in prange(tiles):
        for b in range(tiles):
            h = np.zeros(256, f4)
            for m in range(a * th, a * th + th):
                for n in range(b * tw, b * tw + tw):
                    h[x[m, n]] += f4(1)
            s = f4(0)
            for i in range(256):
                s += h[i]
                tables[a, b, i] = s * f4(255) / f4(th * tw)
    for m in prange(x.shape[0]):
        for n in range(x.shape[1]):
            p, q = (f4(m) + f4(0.5)) / f4(th) - f4(0.5), (f4(n) + f4(0.5)) / f4(tw) - f4(0.5)
            i, j = int(np.floor(p)), int(np.floor(q))
            i0, j0, i1, j1 = max(i, 0), max(j, 0), min(i + 1, tiles - 1), min(j + 1, tiles - 1)
            u, w, v, one = p - f4(i), q - f4(j), x[m, n], f4(1)
            above = (one - w) * tables[i0, j0, v] + w * tables[i0, j1, v]
            y[m, n] = (one - u) * above + u * ((one - w) * tables[i1, j0, v] + w * tables[i1, j1, v])
    return y


def tiles_equalised():
    clahe = cv2.createCLAHE(256.0, (8, 8))
    return Task(
        "equalisation in 8x8 tiles",
        ["images.tiles_equalised"],
        [photo(1080, 1920), 8],
        {"numba": tiles_loops, "OpenCV": lambda x, tiles: clahe.apply(x)},
        tolerance=2 / 255,
    )


@parallel
def median_loops(x, r):
    y, count = np.empty_like(x), (2 * r + 1) ** 2
    for m in prange(x.shape[0]):
        v = np.empty(count, x.dtype)
        for n in range(x.shape[1]):
            k = 0
            for i in range(-r, r + 1):
                for j in range(-r, r + 1):
                    v[k] = x[mirror(m + i, x.shape[0]), mirror(n + j, x.shape[1])]
                    k += 1
            y[m, n] = np.sort(v)[count // 2]
    return y


def bordered(x, k):
    r = k // 2
    return np.ascontiguousarray(cv2.medianBlur(cv2.copyMakeBorder(x, r, r, r, r, MIRROR), k)[r:-r, r:-r])


def median3():
    return Task("median 3x3", ["images.median3"], [gray()], {"OpenCV": lambda x: bordered(x, 3)})


def median5():
    return Task("median 5x5", ["images.median5"], [gray()], {"OpenCV": lambda x: bordered(x, 5)})


def median3_bytes():
    return Task(
        "median 3x3 by exchanges, bytes",
        ["images.median3_bytes"],
        [noise(1080, 1920)],
        {"OpenCV": lambda x: bordered(x, 3), "numba": lambda x: median_loops(x, 1)},
    )


def opened():
    def peer(x, r):
        return cv2.morphologyEx(x, cv2.MORPH_OPEN, np.ones((2 * r + 1, 2 * r + 1), np.uint8), borderType=CLAMPED)

    return Task("opening 7x7, bytes", ["images.opened"], [photo(1080, 1920), 3], {"OpenCV": peer})


def mean_window(x, r):
    return cv2.boxFilter(x, -1, (2 * r + 1, 2 * r + 1), borderType=MIRROR)


@parallel
def box_loops(x, r):
    rows, columns = x.shape
    s, y = np.zeros((rows + 1, columns + 1), f4), np.empty_like(x)
    for m in range(rows):
        for n in range(columns):
            s[m + 1, n + 1] = x[m, n] + s[m, n + 1] + s[m + 1, n] - s[m, n]
    for m in prange(rows):
        for n in range(columns):
            a, b, c, d = max(m - r, 0), min(m + r + 1, rows), max(n - r, 0), min(n + r + 1, columns)
            y[m, n] = (s[b, d] - s[a, d] - s[b, c] + s[a, c]) / f4((b - a) * (d - c))
    return y


def box_integral():
    return Task(
        "box 9x9 by an integral image",
        ["images.box_integral"],
        [numbers(1080, 1920, low=0), 4],
        {"numba": box_loops},
        tolerance=0.1,
    )


def guided():
    def peer(p, g, r, small):
        r = int(r)
        mg, mp = mean_window(g, r), mean_window(p, r)
        cov, v = mean_window(g * p, r) - mg * mp, mean_window(g * g, r) - mg * mg
        a = cov / (v + small)
        b = mp - a * mg
        return mean_window(a, r) * g + mean_window(b, r)

    return Task(
        "guided filter 9x9",
        ["images.guided"],
        [gray() / f4(255), gray() / f4(255), 4, 0.01],
        {"OpenCV": peer},
        tolerance=2e-3,
    )


@parallel
def diffusion_loops(x, steps, kappa, rate):
    y = x.copy()
    for _ in range(steps):
        z = np.empty_like(y)
        for m in prange(y.shape[0]):
            a, b = clamp(m - 1, y.shape[0]), clamp(m + 1, y.shape[0])
            for n in range(y.shape[1]):
                c = y[m, n]
                u, d = y[a, n] - c, y[b, n] - c
                l, r = y[m, clamp(n - 1, y.shape[1])] - c, y[m, clamp(n + 1, y.shape[1])] - c
                s = u * np.exp(-((u / kappa) ** 2)) + d * np.exp(-((d / kappa) ** 2))
                z[m, n] = c + rate * (s + l * np.exp(-((l / kappa) ** 2)) + r * np.exp(-((r / kappa) ** 2)))
        y = z
    return y


def diffusion():
    return Task(
        "diffusion of Perona and Malik, 5 steps",
        ["images.diffusion"],
        [gray(), 5, 20.0, 0.2],
        {"numba": diffusion_loops},
    )


@parallel
def chamfer_loops(x):
    rows, columns = x.shape
    d = np.full((rows + 2, columns + 2), 100000, np.int32)
    for m in range(1, rows + 1):
        for n in range(1, columns + 1):
            if x[m - 1, n - 1] == 0:
                d[m, n] = 0
            else:
                d[m, n] = min(min(d[m - 1, n - 1] + 4, d[m - 1, n] + 3), min(d[m - 1, n + 1] + 4, d[m, n - 1] + 3))
    for m in range(rows, 0, -1):
        for n in range(columns, 0, -1):
            below = min(min(d[m + 1, n - 1] + 4, d[m + 1, n] + 3), d[m + 1, n + 1] + 4)
            d[m, n] = min(min(below, d[m, n + 1] + 3), d[m, n])
    return d[1:-1, 1:-1].copy()


def chamfer():
    return Task(
        "distance transform by two passes",
        ["images2.chamfer"],
        [(noise(1080, 1920) > 2).astype(np.uint8)],
        {"numba": chamfer_loops},
    )


def labels():
    def peer(x):
        count, y = cv2.connectedComponents(x, connectivity=4, ltype=cv2.CV_32S)
        return y, np.int32(count - 1)

    return Task(
        "connected parts", ["images2.labels"], [(photo(1080, 1920) > 120).astype(np.uint8)], {"OpenCV": peer}, share=0
    )


@parallel
def demosaic_loops(x):
    y = np.empty((*x.shape, 3), f4)
    for m in prange(x.shape[0]):
        a, b = mirror(m - 1, x.shape[0]), mirror(m + 1, x.shape[0])
        for n in range(x.shape[1]):
            l, r, c = mirror(n - 1, x.shape[1]), mirror(n + 1, x.shape[1]), x[m, n]
            h, v = (x[m, l] + x[m, r]) / f4(2), (x[a, n] + x[b, n]) / f4(2)
            d = (x[a, l] + x[a, r] + x[b, l] + x[b, r]) / f4(4)
            if m % 2 == 0:
                p, q, s = (c, (h + v) / f4(2), d) if n % 2 == 0 else (h, c, v)
            else:
                p, q, s = (v, c, h) if n % 2 == 0 else (d, (h + v) / f4(2), c)
            y[m, n, 0], y[m, n, 1], y[m, n, 2] = p, q, s
    return y


def demosaic():
    return Task("Bayer mosaic to colours", ["images2.demosaic"], [gray()], {"numba": demosaic_loops})


def rotated():
    def peer(x, angle):
        rows, columns = x.shape
        c, s = np.cos(angle), np.sin(angle)
        m = np.array(
            [
                [c, s, -c * (columns // 2) - s * (rows // 2) + columns // 2],
                [-s, c, s * (columns // 2) - c * (rows // 2) + rows // 2],
            ]
        )
        return cv2.warpAffine(x, m, (columns, rows), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)

    return Task(
        "rotation, bilinear",
        ["images2.rotated"],
        [gray(), 0.3],
        {"OpenCV": peer, "numba": rotated_loops},
        tolerance=0.02,
        share=0.01,
    )


@parallel
def rotated_loops(x, angle):
    rows, columns = x.shape
    y, c, s, one = np.empty_like(x), np.cos(angle), np.sin(angle), f4(1)
    h, w = f4(rows) / f4(2), f4(columns) / f4(2)
    for m in prange(rows):
        for n in range(columns):
            p, q = c * (f4(m) - h) - s * (f4(n) - w) + h, s * (f4(m) - h) + c * (f4(n) - w) + w
            i, j = int(np.floor(p)), int(np.floor(q))
            a, b = p - f4(i), q - f4(j)
            above = (one - b) * at(x, i, j) + b * at(x, i, j + 1)
            y[m, n] = (one - a) * above + a * ((one - b) * at(x, i + 1, j) + b * at(x, i + 1, j + 1))
    return y


def lucas_kanade():
    def peer(x, y, r):
        def window(v):
            return cv2.boxFilter(v, -1, (2 * int(r) + 1,) * 2, normalize=False, borderType=MIRROR)

        pad = cv2.copyMakeBorder(x, 1, 1, 1, 1, MIRROR)
        gx, gy, gt = (pad[1:-1, 2:] - pad[1:-1, :-2]) / 2, (pad[2:, 1:-1] - pad[:-2, 1:-1]) / 2, y - x
        a, b, c, p, q = window(gx * gx), window(gx * gy), window(gy * gy), window(gx * gt), window(gy * gt)
        d = a * c - b * b + 1
        return (b * q - c * p) / d, (b * p - a * q) / d

    x = gray(540, 960)
    return Task(
        "flow of Lucas and Kanade 11x11",
        ["images2.lucas_kanade"],
        [x, np.roll(x, 1, 1), 5],
        {"OpenCV": peer},
        tolerance=5e-3,
        share=0.03,
    )


TASKS = [
    gauss5,
    unsharp,
    edges,
    sobel,
    otsu,
    equalise,
    tiles_equalised,
    median3,
    median5,
    median3_bytes,
    opened,
    box_integral,
    guided,
    diffusion,
    chamfer,
    labels,
    demosaic,
    rotated,
    lucas_kanade,
]
