"""Arrays of Python's zarr for the tests: written in many forms, or compared with what was written by others."""

import os
import sys

import numpy
import zarr
import zarr.codecs

KINDS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
SHAPE = (23, 9, 4)


def content(kind):
    size = numpy.dtype(kind).itemsize
    count = SHAPE[0] * SHAPE[1] * SHAPE[2] * size
    return ((numpy.arange(count, dtype=numpy.uint64) * 2654435761) >> 13).astype(numpy.uint8).view(kind).reshape(SHAPE)


def write(folder):
    forms = {
        "default": {},
        "plain": {"compressors": None},
        "gzip": {"compressors": zarr.codecs.GzipCodec(level=5)},
        "zstd": {"compressors": zarr.codecs.ZstdCodec(level=9, checksum=True)},
        "checked": {"compressors": [zarr.codecs.ZstdCodec(), zarr.codecs.Crc32cCodec()]},
        "big": {"compressors": None, "serializer": zarr.codecs.BytesCodec(endian="big")},
        "shards": {"shards": (10, 9, 4)},
        "dots": {"chunk_key_encoding": {"name": "default", "separator": "."}},
        "filled": {"fill_value": 7},
    }
    for kind in KINDS:
        for name, form in forms.items():
            path = os.path.join(folder, f"{name}-{kind}")
            array = zarr.create_array(path, shape=SHAPE, chunks=(5, 3, 4), dtype=kind, zarr_format=3, **form)
            if name == "filled":
                array[:10] = content(kind)[:10]
            else:
                array[:] = content(kind)
    zarr.create_array(os.path.join(folder, "old"), shape=SHAPE, chunks=(5, 3, 4), dtype="float32", zarr_format=2)
    zarr.create_array(os.path.join(folder, "bool"), shape=SHAPE, dtype="bool", zarr_format=3)
    zarr.create_array(os.path.join(folder, "number"), shape=(), dtype="float32", zarr_format=3)
    blosc = zarr.codecs.BloscCodec()
    zarr.create_array(os.path.join(folder, "blosc"), shape=SHAPE, dtype="float32", zarr_format=3, compressors=blosc)


def check(folder):
    for kind in KINDS:
        for form in ("none", "gzip"):
            array = zarr.open_array(os.path.join(folder, f"{form}-{kind}"), mode="r")
            assert array.dtype == numpy.dtype(kind) and array.shape == SHAPE, (form, kind, array)
            assert array[:].tobytes() == content(kind).tobytes(), (form, kind)


{"write": write, "check": check}[sys.argv[1]](sys.argv[2])
