"""Calls a library as Python programs do. The folder of the unpacked wheel is the argument."""

import gc
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import filters


def refused(kind, part, function, *values):
    try:
        function(*values)
    except kind as error:
        assert part in str(error), error
        return
    raise AssertionError("%s was taken" % (values,))


x = np.arange(12, dtype=np.float32).reshape(3, 4) ** 2
y = filters.smooth(x, 1)
mirrored = np.pad(x, ((0, 0), (1, 1)), "symmetric")
assert np.allclose(y, (mirrored[:, :-2] + mirrored[:, 1:-1] + mirrored[:, 2:]) / 3)
assert y.dtype == np.float32 and y.shape == x.shape and y.flags.writeable and not y.flags.owndata

# A part keeps the memory of the whole.
row, expected = y[1], y[1].copy()
del y
gc.collect()
others = [filters.smooth(x, 2) for _ in range(20)]
assert (row == expected).all()

# Arguments are not copied: a change is in the memory of the array.
v = np.array([1, 2, 3, 4], np.float32)
address = v.ctypes.data
assert filters.clear(v, 2) is None
assert (v == [1, 2, 0, 0]).all() and v.ctypes.data == address
filters.clear(v[1:2], 0)
assert (v == [1, 0, 0, 0]).all()
same = filters.same(v)
same[0] = 9
assert v[0] == 1 and same.ctypes.data != address
filters.add(v, v)
assert v[0] == 2
refused(filters.Error, "overlaps", filters.add, v[:3], v[1:])
v.flags.writeable = False
refused(filters.Error, "'x' is read-only", filters.clear, v, 0)
assert filters.second(v) == 0 and v[0] == 2



class Tensor:
    """What other packages have, as far as DLPack goes."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


assert filters.second(Tensor(np.array([3, 7], np.float32))) == 7
refused(TypeError, "x.astype(numpy.float32)", filters.second, Tensor(np.zeros(2)))

negative, brightest = filters.inverted(np.array([[[0, 9]], [[200, 1]]], np.uint8))
assert negative.dtype == np.uint8 and negative.tolist() == [[[255, 246]], [[55, 254]]] and brightest == 200
turned, z = filters.turned(np.array([[1 + 2j]], np.complex64), 1j)
assert turned.dtype == np.complex64 and turned.tolist() == [[-2 + 1j]] and z == -1
third, s = filters.precise(np.array([1.0, 2.0]), 3)
assert third.tolist() == [1 / 3, 2 / 3] and s == 1.0
assert filters.described("hé", 5) == ("hé!", 5)
assert filters.free(40, np.int64(2)) == 42 and filters.free(lambda_=1, volatile_=1) == 2
assert filters.nothing().shape == (0,)

refused(filters.Error, "x[1], size 1, line ", filters.second, np.zeros(1, np.float32))
refused(TypeError, "x.astype(numpy.float32)", filters.second, np.zeros(2))
refused(TypeError, ">f4", filters.second, np.zeros(2, ">f4"))
refused(TypeError, "not list", filters.second, [1, 2])
refused(TypeError, "masked", filters.second, np.ma.masked_array(np.zeros(2, np.float32)))
refused(ValueError, "numpy.ascontiguousarray(x)", filters.smooth, x.T, 1)
refused(ValueError, "numpy.ascontiguousarray(x)", filters.second, np.zeros(4, np.float32)[::2])
refused(ValueError, "dimensions", filters.second, np.array(1, np.float32))
refused(OverflowError, "is no int32", filters.free, 2**31, 0)
refused(TypeError, "not float", filters.free, 1.5, 0)
refused(TypeError, "not str", filters.precise, np.zeros(2), "3")
refused(TypeError, "a string is needed", filters.described, 3, 0)
refused(ValueError, "zero inside", filters.described, "a\0", 0)
refused(filters.Error, "setting", filters.set_setting, "RUNTIME_NUM_THREADS", "none")
filters.set_setting("RUNTIME_NUM_THREADS", 1)
assert filters.smooth.__doc__.startswith('The mean of each element') and '"Rows"' in filters.smooth.__doc__
assert not hasattr(filters, "untyped") and not hasattr(filters, "first")
