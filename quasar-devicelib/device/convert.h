// Conversions, as in ops/convert.rs: `q_to` wraps modulo 2^n, `q_saturate` saturates, `q_fits` tells whether the value
// is in the range of an integer type. Floats are truncated; NaN becomes 0.

//: int from int
Q_FN $T q_to_$t_from_$s($S x) { return ($T)x; }

//: int from signed
Q_FN $T q_saturate_$t_from_$s($S x) {
    const q_i64 wide = x;
    if (wide < $LOW) return ($T)$LOW;
    return wide > 0 && (q_u64)wide > $HIGH ? ($T)$HIGH : ($T)x;
}

Q_FN q_i32 q_fits_$t_from_$s($S x) {
    const q_i64 wide = x;
    return wide >= $LOW && (wide <= 0 || (q_u64)wide <= $HIGH);
}

//: int from unsigned
Q_FN $T q_saturate_$t_from_$s($S x) {
    const q_u64 wide = x;
    return wide > $HIGH ? ($T)$HIGH : ($T)x;
}

Q_FN q_i32 q_fits_$t_from_$s($S x) {
    const q_u64 wide = x;
    return wide <= $HIGH;
}

//: f32
// The truncated value modulo 2^64: its mantissa, shifted.
Q_FN q_u64 q_wrap_$t($T x) {
    const q_u32 bits = q_bits_$t(x);
    const q_i32 shift = (q_i32)((bits >> 23) & 0xffu) - 150;
    const q_u64 digits = (bits & 0x7fffffu) | 0x800000u;
    const q_u64 left = shift < 64 ? digits << (shift & 63) : 0;
    const q_u64 right = shift > -24 ? digits >> (-shift & 63) : 0;
    const q_u64 whole = shift < 0 ? right : left;
    return bits >> 31 ? 0 - whole : whole;
}

//: f64
Q_FN q_u64 q_wrap_$t($T x) {
    const q_u64 bits = q_bits_$t(x);
    const q_i32 shift = (q_i32)((bits >> 52) & 0x7ffu) - 1075;
    const q_u64 digits = (bits & Q_U64(0xfffffffffffff)) | Q_U64(0x10000000000000);
    const q_u64 left = shift < 64 ? digits << (shift & 63) : 0;
    const q_u64 right = shift > -53 ? digits >> (-shift & 63) : 0;
    const q_u64 whole = shift < 0 ? right : left;
    return bits >> 63 ? 0 - whole : whole;
}

//: i8 i16 i32 u8 u16 u32 from float
Q_FN $T q_to_$t_from_$s($S x) {
    return x > -2147483648.0$e && x < 2147483648.0$e ? ($T)(q_i32)x : ($T)q_wrap_$s(x);
}

//: i64 u64 from float
Q_FN $T q_to_$t_from_$s($S x) {
    return x > -9223372036854775808.0$e && x < 9223372036854775808.0$e ? ($T)(q_i64)x : ($T)q_wrap_$s(x);
}

//: int from float
Q_FN $T q_saturate_$t_from_$s($S x) {
    if (x != x) return 0;
    if (x <= ($S)$LOW) return ($T)$LOW;
    return x >= $BEYOND$e ? ($T)$HIGH : ($T)x;
}

Q_FN q_i32 q_fits_$t_from_$s($S x) {
    const $S low = ($S)$LOW;
    return x != x || ((x > low - 1 || x >= low) && x < $BEYOND$e);
}

//: int from f16
Q_FN $T q_to_$t_from_$s($S x) { return q_to_$t_from_f32(q_to_f32_from_f16(x)); }

Q_FN $T q_saturate_$t_from_$s($S x) { return q_saturate_$t_from_f32(q_to_f32_from_f16(x)); }

Q_FN q_i32 q_fits_$t_from_$s($S x) { return q_fits_$t_from_f32(q_to_f32_from_f16(x)); }

//: float from int float
Q_FN $T q_to_$t_from_$s($S x) { return ($T)x; }

//: f64 from f16
Q_FN $T q_to_$t_from_$s($S x) { return q_to_f32_from_f16(x); }

//: f16 from int
Q_FN $T q_to_$t_from_$s($S x) { return q_to_f16_from_f32((q_f32)x); }

//: f16 from f16
Q_FN $T q_to_$t_from_$s($S x) { return x; }

//: cuda f32 from f16
Q_FN $T q_to_$t_from_$s($S x) {
    $T wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
    return wide;
}

//: cuda f16 from f32
Q_FN $T q_to_$t_from_$s($S x) {
    q_u16 bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return q_f16_from_bits(bits);
}

//: cuda f16 from f64
Q_FN $T q_to_$t_from_$s($S x) {
    q_u16 bits;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(x));
    return q_f16_from_bits(bits);
}

//: opencl f32 from f16
Q_FN $T q_to_$t_from_$s($S x) { return vload_half(0, (const half *)&x.bits); }

//: opencl f16 from float
Q_FN $T q_to_$t_from_$s($S x) {
    $T narrow;
    vstore_half_rte(x, 0, (half *)&narrow.bits);
    return narrow;
}

//: complex from int float
Q_FN $T q_to_$t_from_$s($S x) { return q_complex2_$r(($R)x, 0); }

//: complex from f16
Q_FN $T q_to_$t_from_$s($S x) { return q_complex2_$r(q_to_$r_from_f16(x), 0); }

//: complex from complex
Q_FN $T q_to_$t_from_$s($S x) { return q_complex2_$r(($R)x.re, ($R)x.im); }

//: int float f16 from complex
Q_FN $T q_to_$t_from_$s($S x) { return q_to_$t_from_$v(x.re); }

//: int from complex
Q_FN $T q_saturate_$t_from_$s($S x) { return q_saturate_$t_from_$v(x.re); }

Q_FN q_i32 q_fits_$t_from_$s($S x) { return q_fits_$t_from_$v(x.re); }

//: float f16 complex from all
Q_FN $T q_saturate_$t_from_$s($S x) { return q_to_$t_from_$s(x); }

Q_FN q_i32 q_fits_$t_from_$s($S x) {
    (void)x;
    return 1;
}

//: all
Q_FN q_i8 q_int8_$t($T x) { return q_to_i8_from_$t(x); }

Q_FN q_i16 q_int16_$t($T x) { return q_to_i16_from_$t(x); }

Q_FN q_i32 q_int_$t($T x) { return q_to_i32_from_$t(x); }

Q_FN q_i64 q_int64_$t($T x) { return q_to_i64_from_$t(x); }

Q_FN q_u8 q_uint8_$t($T x) { return q_to_u8_from_$t(x); }

Q_FN q_u16 q_uint16_$t($T x) { return q_to_u16_from_$t(x); }

Q_FN q_u32 q_uint32_$t($T x) { return q_to_u32_from_$t(x); }

Q_FN q_u64 q_uint64_$t($T x) { return q_to_u64_from_$t(x); }

//: int float f16
Q_FN q_f16 q_half_$t($T x) { return q_to_f16_from_$t(x); }

Q_FN q_f32 q_single_$t($T x) { return q_to_f32_from_$t(x); }

Q_FN q_f64 q_double_$t($T x) { return q_to_f64_from_$t(x); }

//: float f16
Q_FN $T q_float_$t($T x) { return x; }
