// How often loops over ranges run, as kernel/flow.rs.

//:
// Positions of from..step..to; all of int are one too many for the result and lack the last.
Q_FN q_u32 q_steps(q_i32 from, q_i32 step, q_i32 to) {
    const q_i64 distance = (q_i64)to - from;
    if (step == 0 || (distance != 0 && (distance < 0) != (step < 0))) return 0;
    const q_i64 count = distance / step + 1;
    return count > 0xffffffff ? 0xffffffffu : (q_u32)count;
}

// Exactly as on the processor, so without merging the quotient and the sum.
Q_FN q_u64 q_float_steps(q_f64 from, q_f64 step, q_f64 to) {
    const q_f64 count = floor((to - from) / step + 1e-6) + 1;
    return count > 0 && step != 0 ? q_saturate_u64_from_f64(count) : 0;
}
