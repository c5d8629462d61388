"""Files of MATLAB by SciPy: `write FOLDER` makes some and lists their variables, `check FOLDER` compares what Quasar wrote."""

import sys

import numpy as np
from scipy.io import loadmat, savemat

TYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"]
SHAPES = [(1, 1), (1, 5), (5, 1), (0, 0), (1, 0), (3, 4), (2, 3, 4), (3, 1, 2, 2)]


def numbers(kind, shape):
    count = int(np.prod(shape))
    if kind[0] == "c":
        values = [complex(k / 4 - 3, -k) for k in range(count)]
    elif kind[0] == "f":
        values = [k / 4 - 3 for k in range(count)]
    elif kind[0] == "u":
        values = [np.iinfo(kind).max - k for k in range(count)]
    else:
        values = [k + np.iinfo(kind).min for k in range(count)]
    return np.array(values, kind).reshape(shape)


def variables():
    all_of_them = {}
    for kind in TYPES:
        for k, shape in enumerate(SHAPES):
            all_of_them["x_%s_%d" % (kind, k)] = numbers(kind, shape)
    special = np.array([[np.nan, np.inf, -np.inf], [-0.0, 5e-324, 1.5]])
    cell = np.empty((2, 3), object)
    for k in range(6):
        cell[k // 3, k % 3] = [1.5, "text", np.arange(4.0).reshape(2, 2), np.zeros((0, 0)), "", numbers("u1", (1, 2))][k]
    inner = np.empty((1, 2), object)
    inner[0, 0], inner[0, 1] = cell, "é€"
    people = np.zeros((2, 2), [("name", object), ("age", object)])
    for k in range(4):
        people[k // 2, k % 2] = ("person %d" % k, float(k))
    all_of_them.update(
        special=special,
        truths=np.array([[True, False, True], [False, False, True]]),
        text="a text with é and €",
        empty="",
        lines=np.array(["one  ", "two  ", "three"]),
        cell=cell,
        nested=inner,
        structure={"a": 1.0, "b": "two", "inner": {"c": np.arange(3.0), "a_much_longer_name_of_a_field": 4.0}},
        people=people,
        large=np.arange(300 * 200 * 3.0).reshape(300, 200, 3),
    )
    return all_of_them


def same(a, b):
    if isinstance(a, np.ndarray) and a.dtype == object:
        return a.shape == b.shape and all(same(x, y) for x, y in zip(a.flat, b.flat))
    if isinstance(a, np.ndarray) and a.dtype.names:
        return a.shape == b.shape and a.dtype.names == b.dtype.names and all(
            same(a[name], b[name]) for name in a.dtype.names
        )
    if isinstance(a, np.ndarray):
        equal = a.dtype == b.dtype and a.shape == b.shape and (
            a.tobytes() == b.tobytes() if a.dtype.kind not in "US" else (a == b).all()
        )
        return equal
    # The items of an object array.
    return a.dtype == b.dtype and a.tobytes() == b.tobytes()


def main(command, folder):
    if command == "write":
        values = variables()
        for name, options in [("plain", {}), ("packed", {"do_compression": True})]:
            savemat("%s/%s.mat" % (folder, name), values, long_field_names=True, **options)
        print("\n".join(values))
        return
    for name in ["plain", "packed"]:
        theirs, ours = loadmat("%s/%s.mat" % (folder, name)), loadmat("%s/%s_out.mat" % (folder, name))
        names = [each for each in theirs if not each.startswith("__")]
        assert [each for each in ours if not each.startswith("__")] == names
        for each in names:
            if each == "lines":
                # Several rows of letters are a cell.
                assert [str(line[0]) for line in ours[each].flat] == list(theirs[each]), ours[each]
                continue
            if each == "people":
                # So are arrays of structures.
                assert ours[each].shape == theirs[each].shape
                for one, other in zip(ours[each].flat, theirs[each].flat):
                    assert all(same(one[0, 0][field], other[field]) for field in ["name", "age"])
                continue
            assert same(theirs[each], ours[each]), (each, theirs[each], ours[each])


main(*sys.argv[1:])
