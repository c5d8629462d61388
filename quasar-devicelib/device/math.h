// Elementary and special functions, as ops/math.rs and ops/special.rs, by the functions that devices have.
//
// Largest errors in units in the last place. Row: what the table of ops promises on the processor in single precision.
// CUDA: NVIDIA's tables for the functions named here ("CUDA C++ Programming Guide", mathematical functions), used where
// at most max(row, 4). OpenCL: what the standard allows in the full profile; PoCL and GPU drivers do much better.
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
//   power           16     4            2           16             16
//   hypot            1     3            2            4              4
//   erf              1     2            2           16             16
//   erfc             1     4            5           16             16
//   gamma            1     1           10            1             16
//   lgamma           2     1            4            1             16
//
// The square root is exact. Gamma functions of singles are computed in double precision. OpenCL states nothing for the
// double lgamma; 16 is what is expected here.
//
// Double: lgamma is less accurate between -10 and -2 on CUDA, as the value passes through 0 there. Sine, cosine and
// tangent of arguments above 2^20, where the processor's functions lose digits, are as accurate as elsewhere.

//: float each exp exp2 log log2 log10 sqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
//: float each floor ceil round erf erfc
Q_FN $T q_$n_$t($T x) { return $n$m(x); }

//: float each atan2 hypot
Q_FN $T q_$n_$t($T a, $T b) { return $n$m(a, b); }

//: float
Q_FN $T q_power_$t($T x, $T a) { return pow$m(x, a); }

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
// In single precision the devices' own functions err by more than 4 units.
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
