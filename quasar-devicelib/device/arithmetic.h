// Arithmetic, remainders, limits, components of complex numbers and bitwise functions, as in ops/arithmetic.rs,
// ops/integers.rs and ops/domain.rs. Integers are computed in unsigned types, so that they wrap.

//: int
Q_FN $T q_add_$t($T a, $T b) { return ($T)(($X)a + ($X)b); }

Q_FN $T q_subtract_$t($T a, $T b) { return ($T)(($X)a - ($X)b); }

Q_FN $T q_multiply_$t($T a, $T b) { return ($T)(($X)a * ($X)b); }

Q_FN $T q_negate_$t($T x) { return ($T)(0 - ($X)x); }

//: signed
Q_FN $T q_abs_$t($T x) { return x < 0 ? q_negate_$t(x) : x; }

Q_FN $T q_sign_$t($T x) { return ($T)((x > 0) - (x < 0)); }

Q_FN $T q_reciprocal_$t($T x) { return x == 1 || x == -1 ? x : 0; }

// The most negative integer divided by -1 overflows.
Q_FN $T q_rem_$t($T x, $T n) { return n == 0 ? x : n == -1 ? 0 : ($T)(x % n); }

Q_FN $T q_modulo_$t($T x, $T n) {
    const $T rest = q_rem_$t(x, n);
    return n != 0 && rest != 0 && (rest < 0) != (n < 0) ? ($T)(rest + n) : rest;
}

//: unsigned
Q_FN $T q_abs_$t($T x) { return x; }

Q_FN $T q_sign_$t($T x) { return x != 0; }

Q_FN $T q_reciprocal_$t($T x) { return x == 1; }

Q_FN $T q_rem_$t($T x, $T n) { return n == 0 ? x : ($T)(x % n); }

Q_FN $T q_modulo_$t($T x, $T n) { return q_rem_$t(x, n); }

//: float
Q_FN $T q_add_$t($T a, $T b) { return a + b; }

Q_FN $T q_subtract_$t($T a, $T b) { return a - b; }

Q_FN $T q_multiply_$t($T a, $T b) { return a * b; }

Q_FN $T q_divide_$t($T a, $T b) { return a / b; }

Q_FN $T q_negate_$t($T x) { return -x; }

Q_FN $T q_abs_$t($T x) { return fabs$m(x); }

Q_FN $T q_sign_$t($T x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

Q_FN $T q_reciprocal_$t($T x) { return 1 / x; }

Q_FN $T q_rem_$t($T x, $T n) { return fmod$m(x, n); }

Q_FN $T q_modulo_$t($T x, $T n) {
    const $T rest = fmod$m(x, n);
    const $T raised = rest != 0 && (rest < 0) != (n < 0) ? rest + n : rest;
    // The sum rounds to n if the remainder is tiny.
    const $T inside = raised == n && q_isfinite_$t(n) ? 0 : raised;
    return n == 0 ? x : inside;
}

//: cuda f32
// A product that the compiler does not contract to a fused multiply-add.
Q_FN $T q_product_$t($T a, $T b) { return __fmul_rn(a, b); }

//: cuda f64
Q_FN $T q_product_$t($T a, $T b) { return __dmul_rn(a, b); }

//: opencl float
Q_FN $T q_product_$t($T a, $T b) { return a * b; }

//: cuda f32
// x / d with the precomputed reciprocal r of d, both far from overflow and underflow, correctly rounded: x * r is
// corrected by its residual. Zeros keep their sign; other numbers near the limits are divided.
Q_FN $T q_over_$t($T x, $T d, $T r) {
    const $T near = __fmul_rn(x, r);
    const $T exact = __fmaf_rn(__fmaf_rn(-near, d, x), r, near);
    const q_i32 ordinary = (q_bits_$t(x) & 0x7fffffffu) - 0x20000000u < 0x40000000u;
    $T quotient = ordinary ? exact : near;
    if (!ordinary && x != 0.0f) quotient = x / d;
    return quotient;
}

//: opencl f32
Q_FN $T q_over_$t($T x, $T d, $T r) {
    (void)r;
    return x / d;
}

//: f16 each add subtract multiply divide rem modulo
Q_FN $T q_$n_$t($T a, $T b) {
    return q_to_f16_from_f32(q_$n_f32(q_to_f32_from_f16(a), q_to_f32_from_f16(b)));
}

//: f16 each sign reciprocal
Q_FN $T q_$n_$t($T x) { return q_to_f16_from_f32(q_$n_f32(q_to_f32_from_f16(x))); }

//: f16
Q_FN $T q_negate_$t($T x) { return q_f16_from_bits((q_u16)(x.bits ^ 0x8000)); }

Q_FN $T q_abs_$t($T x) { return q_f16_from_bits((q_u16)(x.bits & 0x7fff)); }

//: complex
Q_FN $T q_add_$t($T a, $T b) { return q_complex2_$r(a.re + b.re, a.im + b.im); }

Q_FN $T q_subtract_$t($T a, $T b) { return q_complex2_$r(a.re - b.re, a.im - b.im); }

// The products can cancel, so their roundings are part of the result.
Q_FN $T q_multiply_$t($T a, $T b) {
    return q_complex2_$r(q_product_$r(a.re, b.re) - q_product_$r(a.im, b.im),
                         q_product_$r(a.re, b.im) + q_product_$r(a.im, b.re));
}

Q_FN $T q_negate_$t($T x) { return q_complex2_$r(-x.re, -x.im); }

Q_FN $R q_abs_$t($T x) { return q_hypot_$r(x.re, x.im); }

Q_FN $T q_reciprocal_$t($T x) { return q_divide_$t(q_one_$t(), x); }

//: c32
// Products of singles are exact in doubles and cannot overflow there.
Q_FN $T q_divide_$t($T a, $T b) {
    const q_f64 ar = a.re, ai = a.im, br = b.re, bi = b.im;
    const q_f64 norm = br * br + bi * bi;
    return q_complex2_$r((q_f32)((ar * br + ai * bi) / norm), (q_f32)((ai * br - ar * bi) / norm));
}

//: c64
// Scaling by a power of two near 1/|b| keeps the squares in range and changes no mantissa.
Q_FN $T q_divide_$t($T a, $T b) {
    const q_f64 largest = fabs(b.re) > fabs(b.im) ? fabs(b.re) : fabs(b.im);
    const q_u64 exponent = q_clamp3_u64(q_bits_f64(largest) >> 52, 1, 2045);
    const q_f64 scale = q_f64_from_bits((2046 - exponent) << 52);
    const q_f64 br = b.re * scale, bi = b.im * scale;
    const q_f64 norm = q_product_f64(br, br) + q_product_f64(bi, bi);
    const q_f64 qr = br / norm, qi = bi / norm;
    const q_f64 ar = a.re * scale, ai = a.im * scale;
    return q_complex2_$r(q_product_f64(ar, qr) + q_product_f64(ai, qi), q_product_f64(ai, qr) - q_product_f64(ar, qi));
}

//: all
Q_FN $T q_powi_$t($T x, q_i32 exponent) {
    $T result = q_one_$t();
    q_u32 left = exponent < 0 ? 0u - (q_u32)exponent : (q_u32)exponent;
    while (left != 0) {
        if (left & 1u) result = q_multiply_$t(result, x);
        x = q_multiply_$t(x, x);
        left >>= 1;
    }
    return exponent < 0 ? q_reciprocal_$t(result) : result;
}

//: int float f16
Q_FN $T q_periodize_$t($T x, $T n) { return q_modulo_$t(x, n); }

Q_FN $T q_mirror_ext_$t($T x, $T n) {
    const $T period = q_add_$t(n, n);
    const $T position = q_modulo_$t(x, period);
    return q_less_$t(position, n) ? position : q_subtract_$t(q_subtract_$t(period, q_one_$t()), position);
}

Q_FN $T q_clamp_$t($T x, $T n) { return q_min_$t(q_max_$t(x, q_zero_$t()), n); }

Q_FN $T q_clamp3_$t($T x, $T low, $T high) { return q_min_$t(q_max_$t(x, low), high); }

//: int
Q_FN $T q_min_$t($T a, $T b) { return a < b ? a : b; }

Q_FN $T q_max_$t($T a, $T b) { return a > b ? a : b; }

//: cuda float
// A NaN loses. Which of two zeros is the result is unspecified.
Q_FN $T q_min_$t($T a, $T b) { return fmin$m(a, b); }

Q_FN $T q_max_$t($T a, $T b) { return fmax$m(a, b); }

//: opencl float
// A NaN loses.
Q_FN $T q_min_$t($T a, $T b) { return b != b || a < b ? a : b; }

Q_FN $T q_max_$t($T a, $T b) { return b != b || a > b ? a : b; }

//: f16
Q_FN $T q_min_$t($T a, $T b) { return q_isnan_f16(b) || q_less_f16(a, b) ? a : b; }

Q_FN $T q_max_$t($T a, $T b) { return q_isnan_f16(b) || q_greater_f16(a, b) ? a : b; }

//: float f16
Q_FN $T q_saturate_$t($T x) { return q_clamp_$t(x, q_one_$t()); }

//: float f16 complex
Q_FN $T q_lerp_$t($T a, $T b, $T t) { return q_add_$t(a, q_multiply_$t(q_subtract_$t(b, a), t)); }

//: u32
// The next power of two, for numbers up to 2^31.
Q_FN $T q_power_of_two_$t($T x) {
    $T below = x <= 1 ? 0 : x - 1;
    below |= below >> 1;
    below |= below >> 2;
    below |= below >> 4;
    below |= below >> 8;
    below |= below >> 16;
    return below + 1;
}

//: int
Q_FN q_i32 q_nextpow2_$t($T x) {
    if (x <= 1) return 1;
    return (q_u64)x > 0x40000000 ? 0x7fffffff : (q_i32)q_power_of_two_u32((q_u32)x);
}

Q_FN q_i32 q_prevpow2_$t($T x) {
    if (x < 1) return 0;
    return (q_u64)x >= 0x40000000 ? 0x40000000 : (q_i32)(q_power_of_two_u32((q_u32)x + 1) >> 1);
}

//: float
Q_FN q_i32 q_nextpow2_$t($T x) {
    const q_u32 whole = q_saturate_u32_from_$t(x);
    if (x > 1073741824) return 0x7fffffff;
    return (q_i32)q_power_of_two_u32(whole + (($T)whole < x));
}

Q_FN q_i32 q_prevpow2_$t($T x) { return q_prevpow2_i32(q_saturate_i32_from_$t(x)); }

//: f16 each nextpow2 prevpow2
Q_FN q_i32 q_$n_$t($T x) { return q_$n_f32(q_to_f32_from_f16(x)); }

//: int float f16
Q_FN $T q_real_$t($T x) { return x; }

Q_FN $T q_imag_$t($T x) {
    (void)x;
    return q_zero_$t();
}

Q_FN $T q_conj_$t($T x) { return x; }

Q_FN $C q_complex_$t($T re) { return q_complex2_$t(re, q_zero_$t()); }

//: int
Q_FN q_c32 q_complex2_$t($T re, $T im) { return q_complex2_f32((q_f32)re, (q_f32)im); }

//: float
Q_FN $C q_complex2_$t($T re, $T im) {
    $C z;
    z.re = re;
    z.im = im;
    return z;
}

//: f16
Q_FN q_c32 q_complex2_$t($T re, $T im) { return q_complex2_f32(q_to_f32_from_f16(re), q_to_f32_from_f16(im)); }

//: complex
Q_FN $R q_real_$t($T x) { return x.re; }

Q_FN $R q_imag_$t($T x) { return x.im; }

Q_FN $T q_conj_$t($T x) { return q_complex2_$r(x.re, -x.im); }

//: int
Q_FN $T q_and_$t($T a, $T b) { return ($T)(a & b); }

Q_FN $T q_or_$t($T a, $T b) { return ($T)(a | b); }

Q_FN $T q_xor_$t($T a, $T b) { return ($T)(a ^ b); }

Q_FN $T q_not_$t($T x) { return ($T)~x; }

Q_FN $T q_quotient_single_$t($T a, $T b) { return q_to_$t_from_f32(q_divide_f32((q_f32)a, (q_f32)b)); }

Q_FN $T q_floor_quotient_single_$t($T a, $T b) { return q_to_$t_from_f32(q_floor_f32(q_divide_f32((q_f32)a, (q_f32)b))); }

// A shift by a non-negative amount; beyond the width all bits are shifted out.
Q_FN $T q_left_$t($T x, $U count) { return count < $BITS ? ($T)(($X)x << count) : 0; }

//: signed
Q_FN $T q_quotient_$t($T a, $T b) { return b == 0 ? 0 : b == -1 ? ($T)(0 - ($X)a) : ($T)(a / b); }

Q_FN $T q_floor_quotient_$t($T a, $T b) {
    if (b == 0 || b == -1 || a % b == 0) return q_quotient_$t(a, b);
    return ($T)(a / b - ((a % b < 0) != (b < 0)));
}

Q_FN $T q_right_$t($T x, $U count) { return ($T)(x >> (count < $BITS ? count : $BITS - 1)); }

Q_FN $T q_shl_$t($T x, $T n) { return n < 0 ? q_right_$t(x, ($U)(0 - ($X)n)) : q_left_$t(x, ($U)n); }

Q_FN $T q_shr_$t($T x, $T n) { return n < 0 ? q_left_$t(x, ($U)(0 - ($X)n)) : q_right_$t(x, ($U)n); }

//: unsigned
Q_FN $T q_quotient_$t($T a, $T b) { return b == 0 ? 0 : ($T)(a / b); }

Q_FN $T q_floor_quotient_$t($T a, $T b) { return q_quotient_$t(a, b); }

Q_FN $T q_right_$t($T x, $U count) { return count < $BITS ? ($T)(x >> count) : 0; }

Q_FN $T q_shl_$t($T x, $T n) { return q_left_$t(x, n); }

Q_FN $T q_shr_$t($T x, $T n) { return q_right_$t(x, n); }
