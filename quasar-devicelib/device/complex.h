// Elementary functions of complex numbers, as in ops/complex.rs. Those of single precision are computed in double
// precision.

//: complex
Q_FN $R q_angle_$t($T x) { return atan2$m(x.im, x.re); }

//: c64
// i z, and -i z.
Q_FN $T q_turned_$t($T z) { return q_complex2_f64(-z.im, z.re); }

Q_FN $T q_turned_back_$t($T z) { return q_complex2_f64(z.im, -z.re); }

// size (cos(angle), sin(angle)); an angle of 0 keeps the number real even for infinite sizes.
Q_FN $T q_polar_$t(q_f64 size, q_f64 angle) {
    return q_complex2_f64(size * cos(angle), angle == 0 ? angle : size * sin(angle));
}

Q_FN $T q_exp_$t($T z) { return q_polar_$t(exp(z.re), z.im); }

Q_FN $T q_exp2_$t($T z) { return q_polar_$t(exp2(z.re), z.im * 0.6931471805599453); }

Q_FN $T q_log_$t($T z) { return q_complex2_f64(log(q_hypot_f64(z.re, z.im)), atan2(z.im, z.re)); }

Q_FN $T q_log2_$t($T z) {
    return q_complex2_f64(log2(q_hypot_f64(z.re, z.im)), atan2(z.im, z.re) * 1.4426950408889634);
}

Q_FN $T q_log10_$t($T z) {
    return q_complex2_f64(log10(q_hypot_f64(z.re, z.im)), atan2(z.im, z.re) * 0.4342944819032518);
}

Q_FN $T q_sqrt_$t($T z) {
    const q_f64 size = sqrt(0.5 * fabs(z.re) + 0.5 * q_hypot_f64(z.re, z.im));
    const q_f64 other = size == 0 ? fabs(z.im) : 0.5 * fabs(z.im) / size;
    const q_f64 re = z.re >= 0 ? size : other, im = z.re >= 0 ? other : size;
    if (q_isinf_f64(z.im)) return q_complex2_f64(Q_INFINITY_f64, z.im);
    return q_complex2_f64(re, copysign(im, z.im));
}

Q_FN $T q_rsqrt_$t($T z) { return q_divide_$t(q_one_$t(), q_sqrt_$t(z)); }

Q_FN $T q_cbrt_$t($T z) { return q_polar_$t(cbrt(q_hypot_f64(z.re, z.im)), atan2(z.im, z.re) / 3); }

Q_FN $T q_sinh_$t($T z) {
    return q_complex2_f64(sinh(z.re) * cos(z.im), z.im == 0 ? z.im : cosh(z.re) * sin(z.im));
}

Q_FN $T q_cosh_$t($T z) {
    const q_f64 zero = z.re < 0 ? -z.im : z.im;
    return q_complex2_f64(cosh(z.re) * cos(z.im), z.im == 0 ? zero : sinh(z.re) * sin(z.im));
}

Q_FN $T q_tanh_$t($T z) {
    const q_f64 a = 2 * z.re, b = 2 * z.im, sine = sin(b);
    // For large arguments both hyperbolic functions overflow.
    if (fabs(a) > 60) return q_complex2_f64(copysign(1.0, a), 2 * sine * exp(-fabs(a)));
    const q_f64 below = cosh(a) + cos(b);
    return q_complex2_f64(sinh(a) / below, sine / below);
}

Q_FN $T q_sin_$t($T z) { return q_turned_back_$t(q_sinh_$t(q_turned_$t(z))); }

Q_FN $T q_cos_$t($T z) { return q_cosh_$t(q_turned_$t(z)); }

Q_FN $T q_tan_$t($T z) { return q_turned_back_$t(q_tanh_$t(q_turned_$t(z))); }

Q_FN $T q_asin_$t($T z) {
    const $T plus = q_sqrt_$t(q_complex2_f64(1 + z.re, z.im));
    const $T minus = q_sqrt_$t(q_complex2_f64(1 - z.re, -z.im));
    const q_f64 im = asinh(q_multiply_$t(q_conj_$t(minus), plus).im);
    return q_complex2_f64(atan2(z.re, q_multiply_$t(plus, minus).re), im);
}

Q_FN $T q_acos_$t($T z) {
    const $T plus = q_sqrt_$t(q_complex2_f64(1 + z.re, z.im));
    const $T minus = q_sqrt_$t(q_complex2_f64(1 - z.re, -z.im));
    const q_f64 im = asinh(q_multiply_$t(q_conj_$t(plus), minus).im);
    return q_complex2_f64(2 * atan2(minus.re, plus.re), im);
}

Q_FN $T q_atan_$t($T z) { return q_turned_back_$t(q_atanh_$t(q_turned_$t(z))); }

Q_FN $T q_asinh_$t($T z) { return q_turned_back_$t(q_asin_$t(q_turned_$t(z))); }

Q_FN $T q_acosh_$t($T z) {
    const $T plus = q_sqrt_$t(q_complex2_f64(z.re + 1, z.im));
    const $T minus = q_sqrt_$t(q_complex2_f64(z.re - 1, z.im));
    const q_f64 re = asinh(q_multiply_$t(q_conj_$t(minus), plus).re);
    return q_complex2_f64(re, 2 * atan2(minus.im, plus.re));
}

Q_FN $T q_atanh_$t($T z) {
    const q_f64 x = fabs(z.re), y = z.im, gap = 1 - x;
    const q_f64 re = 0.25 * log1p(4 * x / (q_product_f64(gap, gap) + q_product_f64(y, y)));
    const q_f64 im = 0.5 * atan2(2 * y, q_product_f64(gap, 1 + x) - q_product_f64(y, y));
    return q_complex2_f64(copysign(re, z.re), im);
}

// By repeated multiplication for small integer exponents, which keeps integers exact.
Q_FN $T q_power_$t($T z, $T w) {
    const q_f64 whole = trunc(w.re);
    if (w.im == 0 && whole == w.re && fabs(whole) <= 64) return q_powi_$t(z, (q_i32)whole);
    if (z.re == 0 && z.im == 0) {
        const q_f64 size = w.re > 0 ? 0 : Q_NAN_f64;
        return q_complex2_f64(size, size);
    }
    return q_exp_$t(q_multiply_$t(w, q_log_$t(z)));
}

//: c32 each exp exp2 log log2 log10 sqrt rsqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
Q_FN $T q_$n_$t($T z) { return q_to_c32_from_c64(q_$n_c64(q_to_c64_from_c32(z))); }

//: c32
Q_FN $T q_power_$t($T z, $T w) {
    return q_to_c32_from_c64(q_power_c64(q_to_c64_from_c32(z), q_to_c64_from_c32(w)));
}
