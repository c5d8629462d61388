"""Arrays of NumPy as files: `write FOLDER` makes some and a list of what is in them, `check FOLDER` reads what Quasar wrote.

Element k of an array, counted in the order of rows, is `number(k)` of its type, so that both sides know it.
"""

import io
import sys
import zipfile

import numpy as np
from numpy.lib import format as npy

TYPES = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
SHAPES = [(), (1,), (5,), (0,), (3, 4), (0, 3), (2, 0), (2, 3, 4), (1, 3, 1), (2, 1, 3, 2, 2), (1,) * 16]


def number(k, letter, size):
    if letter == "b":
        return k % 3 == 0
    if letter == "u":
        return (1 << (8 * size)) - 1 - k
    if letter == "i":
        return k - (1 << (8 * size - 1))
    if letter == "f":
        return k / 4 - 3
    return complex(k / 4 - 3, -k)


def array(kind, shape):
    letter, size = kind[0], int(kind[1:])
    count = int(np.prod(shape, dtype=np.int64))
    return np.array([number(k, letter, size) for k in range(count)], dtype=kind).reshape(shape)


def write(folder):
    names = []
    for kind in TYPES:
        for shape in SHAPES:
            for order in "<>":
                for layout in "CF":
                    x = np.array(array(kind, shape).astype(order + kind), order=layout)
                    version = [(1, 0), (2, 0), (3, 0)][len(names) % 3]
                    name = f"{len(names)}.npy"
                    with open(f"{folder}/{name}", "wb") as file:
                        npy.write_array(file, x, version=version, allow_pickle=False)
                    dims = "x".join(map(str, shape)) or "-"
                    names.append(f"{name} {kind} {dims}")
    big = np.asfortranarray(array("f4", (300, 70, 5)))
    np.save(f"{folder}/big.npy", big)
    names.append("big.npy f4 300x70x5")
    with open(f"{folder}/list", "w") as file:
        file.write("\n".join(names))
    first, second = array("f4", (3, 4)), array("i8", (2,))
    np.savez(f"{folder}/stored.npz", first, second=second)
    np.savez_compressed(f"{folder}/packed.npz", first, second=second, zeros=np.zeros((1000, 1000)))
    np.savez(f"{folder}/empty.npz")
    refused = {
        "objects": np.array([{"a": 1}, None], dtype=object),
        "fields": np.zeros(3, dtype=[("a", "<f4"), ("b", "<i4")]),
        "texts": np.array(["abc", "d"]),
        "bytes": np.array([b"abc"]),
        "dates": np.array(["2020-01-01"], dtype="datetime64[D]"),
        "long": np.zeros(2, dtype=np.longdouble),
        "void": np.zeros(2, dtype="V3"),
        "dimensions": np.zeros((1,) * 17),
    }
    for name, x in refused.items():
        np.save(f"{folder}/{name}.npy", x)
    np.savez(f"{folder}/objects.npz", refused["objects"])
    with zipfile.ZipFile(f"{folder}/text.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with zipfile.ZipFile(f"{folder}/lzma.npz", "w", zipfile.ZIP_LZMA) as archive:
        data = io.BytesIO()
        np.save(data, first)
        archive.writestr("x.npy", data.getvalue())


def same(found, kind, shape):
    expected = array(kind, shape)
    assert found.dtype == expected.dtype, (found.dtype, kind)
    assert found.shape == expected.shape, (found.shape, shape)
    assert found.tobytes() == expected.tobytes(), (found, expected)


def check(folder):
    with open(f"{folder}/list") as file:
        lines = file.read().split("\n")
    for line in lines:
        name, kind, dims = line.split(" ")
        shape = () if dims == "-" else tuple(map(int, dims.split("x")))
        same(np.load(f"{folder}/out/{name}", allow_pickle=False), kind, shape)
    with np.load(f"{folder}/out/some.npz", allow_pickle=False) as archive:
        assert archive.files == ["arr_0", "weights", "α"], archive.files
        same(archive["arr_0"], "f4", (3, 4))
        same(archive["weights"], "i8", (2,))
        same(archive["α"], "b1", (3, 4))
    assert zipfile.ZipFile(f"{folder}/out/some.npz").testzip() is None
    print(len(lines), "arrays")


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]](sys.argv[2])
