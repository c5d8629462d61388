// Trip counts of loops over ranges, as in kernel/flow.rs.

//:
// The trip count of from..step..to; for the full range of int it overflows the result, and the last iteration is
// missing.
Q_FN q_u32 q_steps(q_i32 from, q_i32 step, q_i32 to) {
    const q_i64 distance = (q_i64)to - from;
    if (step == 0 || (distance != 0 && (distance < 0) != (step < 0))) return 0;
    const q_i64 count = distance / step + 1;
    return count > 0xffffffff ? 0xffffffffu : (q_u32)count;
}

// The same for a step of 1.
Q_FN q_u32 q_unit_steps(q_i32 from, q_i32 to) {
    const q_u32 distance = (q_u32)to - (q_u32)from;
    return to < from ? 0 : distance + (distance != 0xffffffffu);
}

// The quotient of a position by an extent. Most launches have less than 2^32 positions, and 64-bit divisions are slow.
Q_FN q_u64 q_quotient(q_u64 at, q_i32 n) {
    return at >> 32 == 0 ? (q_u32)at / (q_u32)n : at / (q_u64)n;
}

//: opencl
// The same bits as on the CPU, so the product and the sum are not contracted.
Q_FN q_u64 q_float_steps(q_f64 from, q_f64 step, q_f64 to) {
    const q_f64 count = floor((to - from) / step + 1e-6) + 1;
    return count > 0 && step != 0 ? q_saturate_u64_from_f64(count) : 0;
}

//: cuda
// Likewise; a caller's product must not be contracted with the difference either.
Q_FN q_u64 q_float_steps(q_f64 from, q_f64 step, q_f64 to) {
    const q_f64 count = floor(__dadd_rn(__dadd_rn(to, -from) / step, 1e-6)) + 1;
    return count > 0 && step != 0 ? q_saturate_u64_from_f64(count) : 0;
}
