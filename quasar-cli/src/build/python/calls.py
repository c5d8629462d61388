"""Calls of a Quasar library: NumPy arrays go in without copies, and results own their memory."""

import ctypes
import operator
import os

import numpy

_RANKS = 16


class Error(RuntimeError):
    """The program failed; the text says where."""


class _Array(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("rank", ctypes.c_size_t),
        ("extents", ctypes.c_size_t * _RANKS),
        ("read_only", ctypes.c_int32),
        ("owner", ctypes.c_void_p),
    ]


class _Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t), ("owner", ctypes.c_void_p)]


class _ComplexFloat(ctypes.Structure):
    _fields_ = [("re", ctypes.c_float), ("im", ctypes.c_float)]


class _ComplexDouble(ctypes.Structure):
    _fields_ = [("re", ctypes.c_double), ("im", ctypes.c_double)]


class _Memory:
    """Memory of a result, as NumPy asks for it. The array that is made of it keeps it."""

    def __init__(self, library, array, dtype):
        self._library, self._owner = library, array.owner
        shape = tuple(array.extents[: array.rank])
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "typestr": dtype.str,
            "data": (array.data, False),
        }

    def __del__(self):
        self._library.free(self._owner)


_NUMBERS = {
    "i8": (ctypes.c_int8, "int8"),
    "i16": (ctypes.c_int16, "int16"),
    "i32": (ctypes.c_int32, "int32"),
    "i64": (ctypes.c_int64, "int64"),
    "u8": (ctypes.c_uint8, "uint8"),
    "u16": (ctypes.c_uint16, "uint16"),
    "u32": (ctypes.c_uint32, "uint32"),
    "u64": (ctypes.c_uint64, "uint64"),
    "f16": (ctypes.c_uint16, "float16"),
    "f32": (ctypes.c_float, "float32"),
    "f64": (ctypes.c_double, "float64"),
    "c32": (_ComplexFloat, "complex64"),
    "c64": (_ComplexDouble, "complex128"),
}


def _kind(value):
    if isinstance(value, numpy.ma.MaskedArray):
        return "a masked array"
    if isinstance(value, numpy.ndarray):
        return "an array of %s" % value.dtype
    return type(value).__name__


class Number:
    """A number as a parameter or a result."""

    def __init__(self, name, element):
        self.name = name
        self.ctype, dtype = _NUMBERS[element]
        self.dtype = numpy.dtype(dtype)
        self.parameter = self.ctype
        self.result = self.ctype

    def lend(self, value):
        plain = not isinstance(value, (str, bytes, bytearray))
        try:
            if self.dtype.kind in "iu":
                return self.ctype(self._integer(operator.index(value)))
            if plain and self.dtype.kind == "c":
                value = complex(value)
                return self.ctype(value.real, value.imag)
            if plain and not isinstance(value, (complex, numpy.complexfloating)):
                value = float(value)
                if self.dtype == numpy.float16:
                    return self.ctype(int(numpy.float16(value).view(numpy.uint16)))
                return self.ctype(value)
        except TypeError:
            pass
        raise TypeError("%s: a number of type %s is needed, not %s" % (self.name, self.dtype, _kind(value)))

    def _integer(self, value):
        limits = numpy.iinfo(self.dtype)
        if not limits.min <= value <= limits.max:
            raise OverflowError("%s: %d is no %s" % (self.name, value, self.dtype))
        return value

    def take(self, library, value):
        if self.dtype.kind == "c":
            return complex(value.re, value.im)
        if self.dtype == numpy.float16:
            return float(numpy.uint16(value.value).view(numpy.float16))
        return value.value


class Array:
    """An array as a parameter or a result."""

    parameter = ctypes.POINTER(_Array)
    result = _Array

    def __init__(self, name, element):
        self.name = name
        self.dtype = numpy.dtype(_NUMBERS[element][1])

    def lend(self, value):
        if not isinstance(value, numpy.ndarray) and hasattr(value, "__dlpack__"):
            # Tensors of other packages, in the memory of the host: nothing is copied.
            value = numpy.from_dlpack(value)
        if not isinstance(value, numpy.ndarray) or isinstance(value, numpy.ma.MaskedArray):
            raise TypeError("%s: a NumPy array of %s is needed, not %s" % (self.name, self.dtype, _kind(value)))
        if value.dtype != self.dtype:
            text = "%s: an array of %s is needed, not of %s; %s.astype(numpy.%s) converts it"
            raise TypeError(text % (self.name, self.dtype, value.dtype, self.name, self.dtype))
        if not 1 <= value.ndim <= _RANKS:
            raise ValueError("%s: an array has 1 to %d dimensions, not %d" % (self.name, _RANKS, value.ndim))
        if not value.flags.aligned:
            text = "%s: the elements are not aligned in memory; %s.copy() is an array whose elements are"
            raise ValueError(text % (self.name, self.name))
        if not value.flags.c_contiguous:
            text = "%s: the elements do not lie one behind the other in row-major order; numpy.ascontiguousarray(%s) copies them"
            raise ValueError(text % (self.name, self.name))
        array = _Array(value.__array_interface__["data"][0], value.ndim)
        array.kept = value
        array.extents[: value.ndim] = value.shape
        array.read_only = 0 if value.flags.writeable else 1
        return array

    def take(self, library, array):
        # The memory is there for whatever NumPy does with it.
        memory = _Memory(library, array, self.dtype)
        if 0 in memory.__array_interface__["shape"]:
            return numpy.empty(memory.__array_interface__["shape"], self.dtype)
        return numpy.asarray(memory)


class Text:
    """A string as a parameter or a result."""

    parameter = ctypes.c_char_p
    result = _Text

    def __init__(self, name):
        self.name = name

    def lend(self, value):
        if not isinstance(value, str):
            raise TypeError("%s: a string is needed, not %s" % (self.name, _kind(value)))
        if "\0" in value:
            raise ValueError("%s: the string has a zero inside" % self.name)
        return ctypes.c_char_p(value.encode())

    def take(self, library, text):
        try:
            return ctypes.string_at(text.data, text.length).decode()
        finally:
            library.free(text.owner)


class Library:
    """The shared library beside this file."""

    def __init__(self, file, name):
        self._library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), file))
        self._name = name
        self._error = self._symbol("error", ctypes.c_char_p, [])
        self._set = self._symbol("set", ctypes.c_int32, [ctypes.c_char_p, ctypes.c_char_p])
        self.free = self._symbol("free", None, [ctypes.c_void_p])

    def _symbol(self, name, result, parameters):
        function = self._library["%s_%s" % (self._name, name)]
        function.restype, function.argtypes = result, parameters
        return function

    def set(self, name, value):
        self._check(self._set(Text("name").lend(name), Text("value").lend(str(value))))

    def _check(self, status):
        if status != 0:
            text = self._error().decode()
            raise {2: ValueError, 3: MemoryError}.get(status, Error)(text)

    def function(self, name, parameters, results):
        pointers = [ctypes.POINTER(each.result) for each in results]
        symbol = self._symbol(name, ctypes.c_int32, [each.parameter for each in parameters] + pointers)

        def call(*values):
            # What is lent stays alive until the call is over.
            lent = [each.lend(value) for each, value in zip(parameters, values)]
            outputs = [each.result() for each in results]
            self._check(symbol(*lent, *outputs))
            taken = [each.take(self, output) for each, output in zip(results, outputs)]
            if len(taken) == 1:
                return taken[0]
            return tuple(taken) if taken else None

        return call
