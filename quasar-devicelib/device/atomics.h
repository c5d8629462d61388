// Atomic read-modify-write operations, which return the old value, as in kernel/scatter.rs. Operations without an
// instruction on the device are compare-and-swap loops. Functions for shared memory have `shared` in their names.
//
// Elements of 8 and 16 bits are updated through the enclosing 32-bit word, so arrays of them must end at a word
// boundary. On OpenCL, elements of 64 bits need cl_khr_int64_base_atomics. Complex numbers are updated by component.
// Sums of singles in global memory of CUDA devices flush subnormal numbers to 0.

//: cuda shared u32 u64
Q_FN $T q_swap_if$a_$t(volatile $A $T *p, $T expected, $T value) { return atomicCAS(($T *)p, expected, value); }

//: opencl shared u32
Q_FN $T q_swap_if$a_$t(volatile $A $T *p, $T expected, $T value) { return atomic_cmpxchg(p, expected, value); }

//: opencl shared u64
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
Q_FN $T q_swap_if$a_$t(volatile $A $T *p, $T expected, $T value) { return atom_cmpxchg(p, expected, value); }

//: shared u8 u16
Q_FN $T q_swap_if$a_$t(volatile $A $T *p, $T expected, $T value) {
    const q_u32 bytes = (q_u32)((size_t)p & 3);
    volatile $A q_u32 *word = (volatile $A q_u32 *)((volatile $A q_u8 *)p - bytes);
    const q_u32 shift = bytes * 8, mask = (q_u32)$HIGH << shift;
    q_u32 old = *word;
    for (;;) {
        const $T here = ($T)((old & mask) >> shift);
        if (here != expected) return here;
        const q_u32 seen = q_swap_if$a_u32(word, old, (old & ~mask) | ((q_u32)value << shift));
        if (seen == old) return expected;
        old = seen;
    }
}

//: shared i8 u8 i16 u16 each add subtract multiply min max and or xor
//: shared i32 u32 i64 u64 each multiply
//: opencl shared i64 u64 each min max and or xor
//: shared f16 float each multiply divide min max power
//: shared f16 each add subtract
//: opencl shared float each add subtract
Q_FN $T q_atomic_$n$a_$t(volatile $A $T *p, $T value) {
    volatile $A $U *cell = (volatile $A $U *)p;
    $U old = *cell;
    for (;;) {
        const $U seen = q_swap_if$a_$u(cell, old, q_bits_$t(q_$n_$t(q_$t_from_bits(old), value)));
        if (seen == old) return q_$t_from_bits(old);
        old = seen;
    }
}

//: cuda shared i32 u32
Q_FN $T q_atomic_add$a_$t(volatile $A $T *p, $T value) { return atomicAdd(($T *)p, value); }

Q_FN $T q_atomic_subtract$a_$t(volatile $A $T *p, $T value) { return atomicSub(($T *)p, value); }

//: cuda shared i64 u64
Q_FN $T q_atomic_add$a_$t(volatile $A $T *p, $T value) { return ($T)atomicAdd((q_u64 *)p, (q_u64)value); }

Q_FN $T q_atomic_subtract$a_$t(volatile $A $T *p, $T value) { return ($T)atomicAdd((q_u64 *)p, 0 - (q_u64)value); }

//: cuda shared float
Q_FN $T q_atomic_add$a_$t(volatile $A $T *p, $T value) { return atomicAdd(($T *)p, value); }

Q_FN $T q_atomic_subtract$a_$t(volatile $A $T *p, $T value) { return atomicAdd(($T *)p, -value); }

//: cuda shared i32 u32 i64 u64
Q_FN $T q_atomic_min$a_$t(volatile $A $T *p, $T value) { return atomicMin(($T *)p, value); }

Q_FN $T q_atomic_max$a_$t(volatile $A $T *p, $T value) { return atomicMax(($T *)p, value); }

Q_FN $T q_atomic_and$a_$t(volatile $A $T *p, $T value) { return ($T)atomicAnd(($U *)p, ($U)value); }

Q_FN $T q_atomic_or$a_$t(volatile $A $T *p, $T value) { return ($T)atomicOr(($U *)p, ($U)value); }

Q_FN $T q_atomic_xor$a_$t(volatile $A $T *p, $T value) { return ($T)atomicXor(($U *)p, ($U)value); }

//: opencl shared i32 u32 each add min max and or xor
Q_FN $T q_atomic_$n$a_$t(volatile $A $T *p, $T value) { return atomic_$n(p, value); }

//: opencl shared i32 u32
Q_FN $T q_atomic_subtract$a_$t(volatile $A $T *p, $T value) { return atomic_sub(p, value); }

//: opencl shared i64 u64
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
Q_FN $T q_atomic_add$a_$t(volatile $A $T *p, $T value) { return atom_add(p, value); }

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
Q_FN $T q_atomic_subtract$a_$t(volatile $A $T *p, $T value) { return atom_sub(p, value); }

//: shared complex each add subtract
Q_FN $T q_atomic_$n$a_$t(volatile $A $T *p, $T value) {
    volatile $A $R *parts = (volatile $A $R *)p;
    const $R re = q_atomic_$n$a_$r(parts, value.re);
    const $R im = q_atomic_$n$a_$r(parts + 1, value.im);
    return q_complex2_$r(re, im);
}

//: cuda shared u32 u64
Q_FN $T q_swap$a_$t(volatile $A $T *p, $T value) { return atomicExch(($T *)p, value); }

//: opencl shared u32
Q_FN $T q_swap$a_$t(volatile $A $T *p, $T value) { return atomic_xchg(p, value); }

//: opencl shared u64
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
Q_FN $T q_swap$a_$t(volatile $A $T *p, $T value) { return atom_xchg(p, value); }

//: shared u8 u16
Q_FN $T q_swap$a_$t(volatile $A $T *p, $T value) {
    $T old = *p;
    for (;;) {
        const $T seen = q_swap_if$a_$t(p, old, value);
        if (seen == old) return old;
        old = seen;
    }
}

//: shared int f16 float
Q_FN $T q_exchange$a_$t(volatile $A $T *p, $T value) {
    return q_$t_from_bits(q_swap$a_$u((volatile $A $U *)p, q_bits_$t(value)));
}

// Compares as numbers, so 0 equals -0 and NaN equals nothing.
Q_FN $T q_compare_exchange$a_$t(volatile $A $T *p, $T expected, $T value) {
    volatile $A $U *cell = (volatile $A $U *)p;
    $U old = *cell;
    for (;;) {
        if (!q_equal_$t(q_$t_from_bits(old), expected)) return q_$t_from_bits(old);
        const $U seen = q_swap_if$a_$u(cell, old, q_bits_$t(value));
        if (seen == old) return q_$t_from_bits(old);
        old = seen;
    }
}

//: shared complex
Q_FN $T q_exchange$a_$t(volatile $A $T *p, $T value) {
    volatile $A $R *parts = (volatile $A $R *)p;
    const $R re = q_exchange$a_$r(parts, value.re);
    const $R im = q_exchange$a_$r(parts + 1, value.im);
    return q_complex2_$r(re, im);
}

Q_FN $T q_compare_exchange$a_$t(volatile $A $T *p, $T expected, $T value) {
    volatile $A $R *parts = (volatile $A $R *)p;
    const $T old = q_complex2_$r(parts[0], parts[1]);
    if (q_equal_$t(old, expected)) {
        parts[0] = value.re;
        parts[1] = value.im;
    }
    return old;
}
