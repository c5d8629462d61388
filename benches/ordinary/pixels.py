"""Searches in images, colours, blocks and sizes: OpenCV where it knows them, numba on the same loops."""

import cv2
import numpy as np
from numba import prange

from pictures import BELL, CLAMPED, MIRROR, clamp, gray
from tasks import SEED, Task, noise, numbers, parallel, photo, serial

f4 = np.float32


@parallel
def match_loops(x, t):
    h, w = t.shape
    y = np.empty((x.shape[0] - h + 1, x.shape[1] - w + 1), f4)
    for m in prange(y.shape[0]):
        for n in range(y.shape[1]):
            s = f4(0)
            for i in range(h):
                for j in range(w):
                    s += (x[m + i, n + j] - t[i, j]) * (x[m + i, n + j] - t[i, j])
            y[m, n] = s
    return y


def match_squares():
    x = gray(480, 640)
    return Task(
        "template 16x16, squares",
        ["images2.match_squares", "images2.match_slices"],
        [x, x[100:116, 200:216].copy()],
        {"OpenCV": lambda x, t: cv2.matchTemplate(x, t, cv2.TM_SQDIFF), "numba": match_loops},
        tolerance=1e-3,
    )


def match_correlation():
    x = gray(480, 640)
    return Task(
        "template 16x16, correlation",
        ["images2.match_correlation"],
        [x, x[100:116, 200:216].copy()],
        {"OpenCV": lambda x, t: cv2.matchTemplate(x, t, cv2.TM_CCORR_NORMED)},
        tolerance=1e-3,
    )


@serial
def hough_loops(x, angles):
    rows, columns = x.shape
    far = int(np.ceil(np.sqrt(f4(rows * rows + columns * columns))))
    h = np.zeros((2 * far + 1, angles), np.int32)
    for m in range(rows):
        for n in range(columns):
            if x[m, n] > 0:
                for k in range(angles):
                    t = f4(k) * f4(np.pi) / f4(angles)
                    d = f4(n) * np.cos(t) + f4(m) * np.sin(t)
                    h[int(np.floor(d + f4(0.5))) + far, k] += 1
    return h


def hough():
    x = (cv2.Canny(photo(480, 640), 100, 200) > 0).astype(np.uint8)
    return Task("votes for lines", ["images2.hough"], [x, 180], {"numba": hough_loops}, share=0.02)


@parallel
def lbp_loops(x):
    y = np.zeros_like(x)
    for m in prange(1, x.shape[0] - 1):
        for n in range(1, x.shape[1] - 1):
            c, k = x[m, n], 0
            k += 1 if x[m - 1, n - 1] >= c else 0
            k += 2 if x[m - 1, n] >= c else 0
            k += 4 if x[m - 1, n + 1] >= c else 0
            k += 8 if x[m, n + 1] >= c else 0
            k += 16 if x[m + 1, n + 1] >= c else 0
            k += 32 if x[m + 1, n] >= c else 0
            k += 64 if x[m + 1, n - 1] >= c else 0
            k += 128 if x[m, n - 1] >= c else 0
            y[m, n] = k
    return y


def lbp():
    return Task("binary patterns, bytes", ["images2.lbp"], [photo(1080, 1920)], {"numba": lbp_loops})


@parallel
def hog_loops(x):
    h = np.zeros((x.shape[0] // 8, x.shape[1] // 8, 9), f4)
    for p in prange(h.shape[0]):
        for q in range(h.shape[1]):
            for m in range(8 * p, 8 * p + 8):
                for n in range(8 * q, 8 * q + 8):
                    gx = x[m, clamp(n + 1, x.shape[1])] - x[m, clamp(n - 1, x.shape[1])]
                    gy = x[clamp(m + 1, x.shape[0]), n] - x[clamp(m - 1, x.shape[0]), n]
                    a = np.arctan2(gy, gx)
                    a = a + f4(np.pi) if a < 0 else a
                    h[p, q, min(int(a * f4(9) / f4(np.pi)), 8)] += np.sqrt(gx * gx + gy * gy)
    return h


def hog():
    return Task(
        "histograms of gradients",
        ["images2.hog", "images2.hog_cells", "kernels.cells"],
        [gray() + numbers(1080, 1920)],
        {"numba": hog_loops},
        share=2e-3,
    )


@parallel
def seam_loops(e):
    rows, columns = e.shape
    cost, path = e.copy(), np.zeros(rows, np.int32)
    for m in range(1, rows):
        for n in range(columns):
            b = cost[m - 1, n]
            if n > 0:
                b = min(b, cost[m - 1, n - 1])
            if n < columns - 1:
                b = min(b, cost[m - 1, n + 1])
            cost[m, n] += b
    path[rows - 1] = np.argmin(cost[rows - 1])
    for m in range(rows - 2, -1, -1):
        n = path[m + 1]
        at = n
        if n > 0 and cost[m, n - 1] < cost[m, at]:
            at = n - 1
        if n < columns - 1 and cost[m, n + 1] < cost[m, at]:
            at = n + 1
        path[m] = at
    return cost, path


def seam():
    return Task("seam of least energy", ["images2.seam"], [numbers(1080, 1920, low=0)], {"numba": seam_loops})


@serial
def dither_loops(x):
    y = x.copy()
    rows, columns = y.shape
    for m in range(rows):
        for n in range(columns):
            old = y[m, n]
            new = f4(0) if old < f4(128) else f4(255)
            y[m, n], e = new, old - new
            if n + 1 < columns:
                y[m, n + 1] += e * f4(7) / f4(16)
            if m + 1 < rows:
                if n > 0:
                    y[m + 1, n - 1] += e * f4(3) / f4(16)
                y[m + 1, n] += e * f4(5) / f4(16)
                if n + 1 < columns:
                    y[m + 1, n + 1] += e / f4(16)
    return y


def dither():
    return Task("dithering by errors", ["order.dither"], [gray()], {"numba": dither_loops}, share=0.02)


@parallel
def hsv_loops(x):
    y = np.empty_like(x)
    for m in prange(x.shape[0]):
        for n in range(x.shape[1]):
            r, g, b = x[m, n, 0], x[m, n, 1], x[m, n, 2]
            v = max(max(r, g), b)
            d, h = v - min(min(r, g), b), f4(0)
            if d > 0:
                h = (g - b) / d if v == r else (f4(2) + (b - r) / d if v == g else f4(4) + (r - g) / d)
            y[m, n, 0] = f4(60) * (h + f4(6) if h < 0 else h)
            y[m, n, 1] = d / v if v > 0 else f4(0)
            y[m, n, 2] = v
    return y


def hsv():
    return Task(
        "RGB to HSV",
        ["pixels.hsv"],
        [numbers(1080, 1920, 3, low=0)],
        {"OpenCV": lambda x: cv2.cvtColor(x, cv2.COLOR_RGB2HSV), "numba": hsv_loops},
        tolerance=1e-3,
        share=1e-4,
    )


@parallel
def blend_numba(a, b, t):
    return t * a + (f4(1) - t) * b


def blend():
    return Task(
        "alpha blend",
        ["pixels.blend"],
        [numbers(2048, 2048, low=0) for _ in range(3)],
        {"OpenCV": lambda a, b, t: cv2.blendLinear(a, b, t, 1 - t), "numba": blend_numba},
        tolerance=1e-3,
    )


@parallel
def blend_bytes_loops(a, b, t):
    y = np.empty_like(a)
    for m in prange(a.shape[0]):
        for n in range(a.shape[1]):
            w = np.int32(t[m, n])
            for c in range(3):
                y[m, n, c] = np.uint8((w * a[m, n, c] + (255 - w) * b[m, n, c] + 127) // 255)
    return y


def blend_bytes():
    return Task(
        "alpha blend of colours, bytes",
        ["pixels.blend_bytes"],
        [noise(1080, 1920, 3), noise(1080, 1920, 3), noise(1080, 1920)],
        {"numba": blend_bytes_loops},
    )


def gamma():
    def peer(x, g):
        return cv2.LUT(x, np.floor(255 * (np.arange(256, dtype=f4) / f4(255)) ** g + f4(0.5)).astype(np.uint8))

    return Task(
        "gamma by a table, bytes",
        ["pixels.gamma_table"],
        [photo(2160, 3840), 0.45],
        {"OpenCV": peer},
        tolerance=1.1 / 255,
    )


def gamma_cube():
    def peer(x, g):
        return cv2.LUT(x, np.floor(255 * (np.arange(256, dtype=f4) / f4(255)) ** g + f4(0.5)).astype(np.uint8))

    return Task(
        "gamma of colours by t[x]",
        ["pixels.gamma_cube"],
        [noise(1080, 1920, 3), 0.45],
        {"OpenCV": peer},
        tolerance=1.1 / 255,
    )


@serial
def kmeans_loops(x, c0, steps):
    c, k, l = c0.copy(), len(c0), np.zeros(x.shape[:2], np.int32)
    for _ in range(steps):
        s, count = np.zeros((k, 3), f4), np.zeros(k, f4)
        for m in range(x.shape[0]):
            for n in range(x.shape[1]):
                best, found = f4(1e30), 0
                for i in range(k):
                    d = (x[m, n, 0] - c[i, 0]) ** 2 + (x[m, n, 1] - c[i, 1]) ** 2 + (x[m, n, 2] - c[i, 2]) ** 2
                    if d < best:
                        best, found = d, i
                l[m, n] = found
                count[found] += f4(1)
                for j in range(3):
                    s[found, j] += x[m, n, j]
        for i in range(k):
            for j in range(3):
                c[i, j] = s[i, j] / max(count[i], f4(1))
    return c, l


def kmeans():
    return Task(
        "k-means of colours, 8 centres, 5 steps",
        ["pixels.kmeans"],
        [numbers(480, 640, 3, low=0), numbers(8, 3, low=0), 5],
        {"numba": kmeans_loops},
        tolerance=1e-3,
        share=0.01,
    )


def gray_bytes():
    return Task(
        "RGB to gray, bytes",
        ["pixels.gray_bytes"],
        [noise(1080, 1920, 3)],
        {"OpenCV": lambda x: cv2.cvtColor(x, cv2.COLOR_RGB2GRAY)},
        tolerance=1.1 / 255,
    )


def threshold():
    return Task(
        "threshold, bytes",
        ["pixels.threshold"],
        [noise(2160, 3840), 100],
        {"OpenCV": lambda x, t: cv2.threshold(x, int(t), 255, cv2.THRESH_BINARY)[1]},
    )


def absolute_difference():
    return Task(
        "absolute difference, bytes",
        ["pixels.absolute_difference"],
        [noise(2160, 3840), noise(2160, 3840)],
        {"OpenCV": cv2.absdiff},
    )


@parallel
def lens_loops(x, k):
    rows, columns = x.shape
    y = np.zeros_like(x)
    h, w, size, one = f4(rows) / f4(2), f4(columns) / f4(2), f4(rows), f4(1)
    for m in prange(rows):
        for n in range(columns):
            p, q = (f4(m) - h) / size, (f4(n) - w) / size
            r = one + k * (p * p + q * q)
            i, j = int(np.floor(p * r * size + h + f4(0.5))), int(np.floor(q * r * size + w + f4(0.5)))
            if 0 <= i < rows and 0 <= j < columns:
                y[m, n] = x[i, j]
    return y


def lens():
    return Task("lens, nearest, bytes", ["pixels.lens"], [photo(1080, 1920), 0.2], {"numba": lens_loops}, share=0.01)


def cosines():
    k, n = np.mgrid[0:8, 0:8]
    return (np.where(k == 0, np.sqrt(0.125), 0.5) * np.cos(np.pi * (2 * n + 1) * k / 16)).astype(f4)


@parallel
def dct_loops(x, c):
    y = np.empty_like(x)
    for m in prange(x.shape[0] // 8):
        t = np.zeros((8, 8), f4)
        for n in range(x.shape[1] // 8):
            for i in range(8):
                for j in range(8):
                    s = f4(0)
                    for k in range(8):
                        s += c[i, k] * x[8 * m + k, 8 * n + j]
                    t[i, j] = s
            for i in range(8):
                for j in range(8):
                    s = f4(0)
                    for k in range(8):
                        s += t[i, k] * c[j, k]
                    y[8 * m + i, 8 * n + j] = s
    return y


def dct_numpy(x, c):
    blocks = x.reshape(x.shape[0] // 8, 8, x.shape[1] // 8, 8).transpose(0, 2, 1, 3)
    return (c @ blocks @ c.T).transpose(0, 2, 1, 3).reshape(x.shape)


def dct():
    return Task(
        "cosine transform of 8x8 blocks",
        ["blocks.dct_blocks", "pixels.dct_products"],
        [gray(), cosines()],
        {"numba": dct_loops, "NumPy": dct_numpy},
    )


def tile_statistics():
    def peer(x):
        t = x.reshape(x.shape[0] // 16, 16, x.shape[1] // 16, 16)
        return t.mean((1, 3)), t.std((1, 3))

    return Task(
        "mean and deviation of 16x16 tiles",
        ["pixels.tile_statistics"],
        [numbers(1024, 1920, low=0)],
        {"NumPy": peer},
        tolerance=1e-3,
    )


def pyramid():
    def peer(x):
        return cv2.sepFilter2D(x, -1, BELL, BELL, borderType=MIRROR)[::2, ::2].copy()

    return Task(
        "pyramid step",
        ["pyramid.down", "pyramid.down_separable"],
        [gray()],
        {"OpenCV": lambda x: cv2.pyrDown(x, borderType=MIRROR), "OpenCV, filter": peer},
        tolerance=1e-3,
    )


@parallel
def haar_loops(x):
    y = np.empty_like(x)
    h, w = x.shape[0] // 2, x.shape[1] // 2
    for m in prange(h):
        for n in range(w):
            a, b, c, d = x[2 * m, 2 * n], x[2 * m, 2 * n + 1], x[2 * m + 1, 2 * n], x[2 * m + 1, 2 * n + 1]
            y[m, n] = (a + b + c + d) / f4(2)
            y[m, n + w] = (a - b + c - d) / f4(2)
            y[m + h, n] = (a + b - c - d) / f4(2)
            y[m + h, n + w] = (a - b - c + d) / f4(2)
    return y


def haar():
    return Task("haar step", ["pyramid.haar", "pyramid.haar_slices"], [gray(2160, 3840)], {"numba": haar_loops})


def resize(interpolation):
    return lambda x, rows, columns: cv2.resize(x, (int(columns), int(rows)), interpolation=interpolation)


def bilinear():
    return Task(
        "resize to 720x1280, bilinear",
        ["resize.bilinear"],
        [gray(), 720, 1280],
        {"OpenCV": resize(cv2.INTER_LINEAR)},
        tolerance=1e-3,
    )


def bicubic():
    return Task(
        "resize to 720x1280, bicubic",
        ["resize.bicubic"],
        [gray(), 720, 1280],
        {"OpenCV": resize(cv2.INTER_CUBIC)},
        tolerance=1e-3,
    )


def sorting():
    return Task("sort, 1000000", ["rows.sorted"], [numbers(1_000_000)], {"NumPy": np.sort})


def transposed():
    return Task(
        "transpose, 2048",
        ["library.turned"],
        [numbers(2048, 2048)],
        {"OpenCV": cv2.transpose, "NumPy": lambda x: np.ascontiguousarray(x.T)},
    )


TASKS = [
    match_squares,
    match_correlation,
    hough,
    lbp,
    hog,
    seam,
    dither,
    hsv,
    blend,
    blend_bytes,
    gamma,
    gamma_cube,
    kmeans,
    gray_bytes,
    threshold,
    absolute_difference,
    lens,
    dct,
    tile_statistics,
    pyramid,
    haar,
    bilinear,
    bicubic,
    sorting,
    transposed,
]
