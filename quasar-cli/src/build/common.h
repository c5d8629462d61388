#include <stddef.h>
#include <stdint.h>

#ifndef QUASAR_COMMON_H
#define QUASAR_COMMON_H

/* What calls return. */
enum quasar_status {
    QUASAR_DONE = 0,
    QUASAR_FAILED = 1,         /* the program failed */
    QUASAR_WRONG_ARGUMENT = 2, /* a pointer or a size that cannot be */
    QUASAR_OUT_OF_MEMORY = 3,
    QUASAR_DEFECT = 4          /* a mistake of the library */
};

/* The bits of a number with half precision, and complex numbers. */
typedef uint16_t quasar_half;
typedef struct { float re, im; } quasar_complex_float;
typedef struct { double re, im; } quasar_complex_double;

/* An array: its elements in row-major order without gaps, the number of dimensions (1 to 16) and their extents.

   As an argument it stays the caller's. Only the call uses the memory, and nothing is copied; the function may change
   elements, where the program assigns to them, unless `read_only` is not 0: then that is an error. Arguments may lie
   at one place, which is one array; those that overlap otherwise can only be read. `owner` means nothing.

   A result is the caller's until its `owner` is given to the function .._free. After an error it has no owner. */
#define QUASAR_ARRAY_(element, name) \
    typedef struct { element *data; size_t rank; size_t extents[16]; int32_t read_only; void *owner; } name
@ARRAYS@
/* A string as a result: UTF-8 with a zero behind it. It is freed by its owner as well. */
typedef struct { const char *data; size_t length; void *owner; } quasar_text;

#endif
