// Elementary and special functions, as in ops/math.rs and ops/special.rs, by the built-in functions of devices.
//
// Maximum errors in ulps. Row: the bound in the table of ops, for the CPU in single precision. CUDA: NVIDIA's tables
// for the functions named here ("CUDA C++ Programming Guide", mathematical functions), used where at most max(row, 4).
// OpenCL: the bounds of the standard in the full profile; PoCL and GPU drivers do much better.
//
//   function       row  CUDA single  CUDA double  OpenCL single  OpenCL double
//   exp              2     2            1            3              3
//   exp2             2     2            1            3              3
//   log              1     1            1            3              3
//   log2             1     1            1            3              3
//   log10            1     2            1            3              3
//   rsqrt            2     2            1            3.5            1
//   cbrt             1     1            1            2              2
//   sin cos          2     2            2            4              4
//   tan              1     4            2            5              5
//   asin acos        2     2            2            4              4
//   atan             2     2            2            5              5
//   atan2            2     3            2            6              6
//   sinh             1     3            2            4              4
//   cosh             1     2            1            4              4
//   tanh             2     2            2            5              5
//   asinh            1     3            3            4              4
//   acosh            1     4            3            4              4
//   atanh            1     3            2            5              5
//   power           16    14            2           16             16
//   hypot            1     3            1            4              4
//   erf              1     2            2           16             16
//   erfc             1     4            5           16             16
//   gamma            1     1           10            1             16
//   lgamma           2     1            4            1             16
//
// The square root is correctly rounded. Gamma functions of singles are computed in double precision. OpenCL states
// nothing for the double lgamma; 16 is what is expected here.
//
// Double: lgamma is less accurate between -10 and -2 on CUDA, as the value passes through 0 there. Sine, cosine and
// tangent of arguments above 2^20, where the CPU functions lose digits, are as accurate as elsewhere.

//: float each exp exp2 log log2 log10 sqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
//: float each floor ceil round erf erfc
Q_FN $T q_$n_$t($T x) { return $n$m(x); }

//: float each atan2
Q_FN $T q_$n_$t($T a, $T b) { return $n$m(a, b); }

//: opencl float
Q_FN $T q_hypot_$t($T a, $T b) { return hypot(a, b); }

//: cuda f32
Q_FN $T q_hypot_$t($T a, $T b) { return hypotf(a, b); }

//: cuda f64
// Roots of complex numbers need more digits than the built-in function has. The root of the sum of squares, and one
// Newton step with its rounding error: C. F. Borges, "An Improved Algorithm for hypot(a,b)", 2019. Squares of numbers
// scaled by a power of two neither overflow nor vanish.
Q_FN $T q_hypot_$t($T a, $T b) {
    const $T large = fmax(fabs(a), fabs(b)), small = fmin(fabs(a), fabs(b));
    // max of a number and NaN is the number.
    if (!(fabs(a) < Q_INFINITY_f64 && fabs(b) < Q_INFINITY_f64) || large == 0) return hypot(a, b);
    const $T scale = large > 0x1p500 ? 0x1p-600 : large < 0x1p-400 ? 0x1p600 : 1.0;
    const $T x = large * scale, y = small * scale;
    const $T h = sqrt(__fma_rn(x, x, __dmul_rn(y, y)));
    const $T hh = __dmul_rn(h, h), xx = __dmul_rn(x, x);
    const $T left = __fma_rn(-y, y, __dadd_rn(hh, -xx)) + (__fma_rn(h, h, -hh) - __fma_rn(x, x, -xx));
    return __dadd_rn(h, -(left / (2 * h))) / scale;
}

//: cuda f64
Q_FN $T q_power_$t($T x, $T a) { return pow(x, a); }

//: opencl float
Q_FN $T q_power_$t($T x, $T a) { return pow(x, a); }

//: cuda f32
// 2^(a log2(x)) with the logarithm in two singles, for ordinary numbers; the error bound is for the
// largest logarithms. Zeros are common in images; all other special values are left to the built-in function.
Q_FN $T q_power_$t($T x, $T a) {
    const q_u32 bits = __float_as_uint(x);
    const q_i32 e = (q_i32)(bits - 0x3f2aaaabu) >> 23;
    const $T f = __uint_as_float(bits - ((q_u32)e << 23)) - 1.0f;
    $T q = __fmaf_rn(0.12318419f, f, -0.1281645f);
    q = __fmaf_rn(q, f, 0.10673516f);
    q = __fmaf_rn(q, f, -0.12202617f);
    q = __fmaf_rn(q, f, 0.1431152f);
    q = __fmaf_rn(q, f, -0.16679059f);
    q = __fmaf_rn(q, f, 0.19999364f);
    q = __fmaf_rn(q, f, -0.24999833f);
    q = __fmaf_rn(q, f, 0.33333337f);
    // log(1 + f) = f - f^2/2 + f^3 q, the first two terms exactly.
    const $T square = __fmul_rn(f, f), square_rest = __fmaf_rn(f, f, -square);
    const $T high = __fmaf_rn(-0.5f, square, f);
    $T low = __fmaf_rn(-0.5f, square, __fsub_rn(f, high));
    low = __fmaf_rn(__fmul_rn(square, f), q, low);
    low = __fmaf_rn(-0.5f, square_rest, low);
    const $T product = __fmul_rn(high, 1.442695f);
    $T rest = __fmaf_rn(high, 1.442695f, -product);
    rest = __fmaf_rn(high, 1.925963e-8f, rest);
    rest = __fmaf_rn(low, 1.442695f, rest);
    const $T sum = __fadd_rn((q_f32)e, product);
    const $T sum_rest = __fadd_rn(__fsub_rn(product, __fsub_rn(sum, (q_f32)e)), rest);
    const $T power = __fmul_rn(a, sum);
    const $T power_rest = __fmaf_rn(a, sum_rest, __fmaf_rn(a, sum, -power));
    // Positive normal numbers with a normal result; excludes NaN.
    if (bits - 0x00800000u < 0x7f000000u && fabsf(power) < 126.0f) {
        const $T whole = rintf(power);
        $T y;
        asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(__fadd_rn(__fsub_rn(power, whole), power_rest)));
        return __uint_as_float(__float_as_uint(y) + ((q_u32)(q_i32)whole << 23));
    }
    if (bits == 0 && a > 0.0f) return 0.0f;
    return powf(x, a);
}

//: float
Q_FN $T q_fix_$t($T x) { return trunc$m(x); }

Q_FN $T q_frac_$t($T x) { return x - floor$m(x); }

Q_FN $T q_angle_$t($T x) { return atan2$m(0, x); }

//: cuda float
Q_FN $T q_rsqrt_$t($T x) { return rsqrt$m(x); }

//: opencl float
Q_FN $T q_rsqrt_$t($T x) { return 1 / sqrt(x); }

//: f64
Q_FN $T q_gamma_$t($T x) { return tgamma(x); }

Q_FN $T q_lgamma_$t($T x) { return lgamma(x); }

//: f32
// In single precision the built-in functions err by more than 4 ulps.
Q_FN $T q_gamma_$t($T x) { return ($T)tgamma((q_f64)x); }

Q_FN $T q_lgamma_$t($T x) { return ($T)lgamma((q_f64)x); }

//: f16 each exp exp2 log log2 log10 sqrt rsqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
//: f16 each floor ceil round fix gamma lgamma erf erfc angle
Q_FN $T q_$n_$t($T x) { return q_to_f16_from_f32(q_$n_f32(q_to_f32_from_f16(x))); }

//: f16 each power atan2 hypot
Q_FN $T q_$n_$t($T a, $T b) {
    return q_to_f16_from_f32(q_$n_f32(q_to_f32_from_f16(a), q_to_f32_from_f16(b)));
}

//: f16
Q_FN $T q_frac_$t($T x) { return q_subtract_f16(x, q_floor_f16(x)); }
