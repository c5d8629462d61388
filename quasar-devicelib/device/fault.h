// The error record of a launch, with the layout of `device_text::FaultRecord`; zero before the launch.

//:
typedef struct q_fault {
    q_i32 state, kind, site, rank;
    q_i32 index[16];
    q_i32 dims[16];
    q_i64 values[16];
} q_fault;

// Claims the record for an error of this kernel (`identity`); only the thread that gets 1 may fill it.
Q_FN q_i32 q_fail(Q_GLOBAL q_fault *fault, q_i32 kind, q_i32 site) {
    if (q_swap_if_u32((volatile Q_GLOBAL q_u32 *)&fault->state, 0, Q_IDENTITY) != 0) return 0;
    fault->kind = kind;
    fault->site = site;
    return 1;
}

// Whether a loop leaves because this kernel has failed, which it asks in one of 1024 iterations: what a failed access gave instead of an
// element may keep it going for ever.
Q_FN q_i32 q_stops(Q_GLOBAL q_fault *fault, q_u32 iteration) {
    return (iteration & 1023u) == 0u && *(volatile Q_GLOBAL q_u32 *)&fault->state == Q_IDENTITY;
}

// Values for messages: integers as they are, floats as their bits, complex numbers as two.

//: int
Q_FN void q_record_$t(Q_GLOBAL q_fault *fault, q_i32 k, $T value) { fault->values[k] = (q_i64)value; }

//: float f16
Q_FN void q_record_$t(Q_GLOBAL q_fault *fault, q_i32 k, $T value) { fault->values[k] = (q_i64)q_bits_$t(value); }

//: complex
Q_FN void q_record_$t(Q_GLOBAL q_fault *fault, q_i32 k, $T value) {
    q_record_$r(fault, k, value.re);
    q_record_$r(fault, k + 1, value.im);
}
