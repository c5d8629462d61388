// The element types, and their bits.
//
// A half is stored in 16 bits and computed with in single precision. Complex numbers are aligned so that one
// instruction loads or stores them.

//:
typedef int q_i32;

typedef unsigned int q_u32;

typedef short q_i16;

typedef unsigned short q_u16;

typedef unsigned char q_u8;

typedef float q_f32;

typedef struct q_f16 { q_u16 bits; } q_f16;

//: cuda
typedef signed char q_i8;

typedef long long q_i64;

typedef unsigned long long q_u64;

typedef double q_f64;

typedef struct __align__(8) q_c32 { q_f32 re, im; } q_c32;

typedef struct __align__(16) q_c64 { q_f64 re, im; } q_c64;

//: opencl
typedef char q_i8;

typedef long q_i64;

typedef ulong q_u64;

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double q_f64;

typedef struct q_c32 { q_f32 re, im; } __attribute__((aligned(8))) q_c32;

typedef struct q_c64 { q_f64 re, im; } __attribute__((aligned(16))) q_c64;

//: cuda f32
Q_FN $U q_bits_$t($T x) { return __float_as_uint(x); }

Q_FN $T q_$t_from_bits($U bits) { return __uint_as_float(bits); }

//: cuda f64
Q_FN $U q_bits_$t($T x) { return ($U)__double_as_longlong(x); }

Q_FN $T q_$t_from_bits($U bits) { return __longlong_as_double((q_i64)bits); }

//: opencl f32
Q_FN $U q_bits_$t($T x) { return as_uint(x); }

Q_FN $T q_$t_from_bits($U bits) { return as_float(bits); }

//: opencl f64
Q_FN $U q_bits_$t($T x) { return as_ulong(x); }

Q_FN $T q_$t_from_bits($U bits) { return as_double(bits); }

//: f16
Q_FN $U q_bits_$t($T x) { return x.bits; }

Q_FN $T q_$t_from_bits($U bits) {
    $T x;
    x.bits = bits;
    return x;
}

//: int
Q_FN $U q_bits_$t($T x) { return ($U)x; }

Q_FN $T q_$t_from_bits($U bits) { return ($T)bits; }

//: int float
Q_FN $T q_zero_$t(void) { return 0; }

Q_FN $T q_one_$t(void) { return 1; }

//: f16
Q_FN $T q_zero_$t(void) { return q_f16_from_bits(0); }

Q_FN $T q_one_$t(void) { return q_f16_from_bits(0x3c00); }

//: complex
Q_FN $T q_zero_$t(void) { return q_complex2_$r(0, 0); }

Q_FN $T q_one_$t(void) { return q_complex2_$r(1, 0); }
