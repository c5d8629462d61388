// Comparisons, logic and classification, as in ops/compare.rs; all yield 0 or 1.

//: int float
Q_FN q_i32 q_equal_$t($T a, $T b) { return a == b; }

Q_FN q_i32 q_not_equal_$t($T a, $T b) { return a != b; }

Q_FN q_i32 q_less_$t($T a, $T b) { return a < b; }

Q_FN q_i32 q_less_equal_$t($T a, $T b) { return a <= b; }

Q_FN q_i32 q_greater_$t($T a, $T b) { return a > b; }

Q_FN q_i32 q_greater_equal_$t($T a, $T b) { return a >= b; }

Q_FN q_i32 q_logical_not_$t($T x) { return x == 0; }

Q_FN q_i32 q_logical_and_$t($T a, $T b) { return a != 0 && b != 0; }

Q_FN q_i32 q_logical_or_$t($T a, $T b) { return a != 0 || b != 0; }

//: int
Q_FN q_i32 q_isnan_$t($T x) {
    (void)x;
    return 0;
}

Q_FN q_i32 q_isinf_$t($T x) {
    (void)x;
    return 0;
}

Q_FN q_i32 q_isfinite_$t($T x) {
    (void)x;
    return 1;
}

//: float
Q_FN q_i32 q_isnan_$t($T x) { return x != x; }

Q_FN q_i32 q_isinf_$t($T x) { return x == Q_INFINITY_$t || x == -Q_INFINITY_$t; }

Q_FN q_i32 q_isfinite_$t($T x) { return x > -Q_INFINITY_$t && x < Q_INFINITY_$t; }

//: f16 each equal not_equal less less_equal greater greater_equal logical_and logical_or
Q_FN q_i32 q_$n_$t($T a, $T b) { return q_$n_f32(q_to_f32_from_f16(a), q_to_f32_from_f16(b)); }

//: f16 each logical_not isnan isinf isfinite
Q_FN q_i32 q_$n_$t($T x) { return q_$n_f32(q_to_f32_from_f16(x)); }

//: complex
Q_FN q_i32 q_equal_$t($T a, $T b) { return a.re == b.re && a.im == b.im; }

Q_FN q_i32 q_not_equal_$t($T a, $T b) { return a.re != b.re || a.im != b.im; }

Q_FN q_i32 q_logical_not_$t($T x) { return x.re == 0 && x.im == 0; }

Q_FN q_i32 q_logical_and_$t($T a, $T b) { return !q_logical_not_$t(a) && !q_logical_not_$t(b); }

Q_FN q_i32 q_logical_or_$t($T a, $T b) { return !q_logical_not_$t(a) || !q_logical_not_$t(b); }

Q_FN q_i32 q_isnan_$t($T x) { return q_isnan_$r(x.re) || q_isnan_$r(x.im); }

Q_FN q_i32 q_isinf_$t($T x) { return q_isinf_$r(x.re) || q_isinf_$r(x.im); }

Q_FN q_i32 q_isfinite_$t($T x) { return q_isfinite_$r(x.re) && q_isfinite_$r(x.im); }
