// How often loops over ranges run, as kernel/flow.rs.

//:
// Positions of from..step..to; all of int are one too many for the result and lack the last.
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

// The quotient of positions by an extent. Most launches have less than 2^32 positions, and long divisions are slow.
Q_FN q_u64 q_quotient(q_u64 at, q_i32 n) {
    return at >> 32 == 0 ? (q_u32)at / (q_u32)n : at / (q_u64)n;
}

//: opencl
// Exactly as on the processor, so without merging the quotient and the sum.
Q_FN q_u64 q_float_steps(q_f64 from, q_f64 step, q_f64 to) {
    const q_f64 count = floor((to - from) / step + 1e-6) + 1;
    return count > 0 && step != 0 ? q_saturate_u64_from_f64(count) : 0;
}

//: cuda
// The same; a caller's product must not be merged with the difference either.
Q_FN q_u64 q_float_steps(q_f64 from, q_f64 step, q_f64 to) {
    const q_f64 count = floor(__dadd_rn(__dadd_rn(to, -from) / step, 1e-6)) + 1;
    return count > 0 && step != 0 ? q_saturate_u64_from_f64(count) : 0;
}
