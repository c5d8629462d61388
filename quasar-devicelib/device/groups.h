// What the threads of a warp do together, as kernel/groups.rs. A group is the set of its lanes. In OpenCL each thread is a warp
// of its own, as on the processor.

//: cuda
Q_FN q_u32 q_group_lanes(void) { return __activemask(); }

// The lanes of the warp in which the block has threads; the last warp may not be full.
Q_FN q_u32 q_group_of_block(q_i32 thread, q_i32 threads) {
    const q_i32 left = threads - thread / 32 * 32;
    return left >= 32 ? 0xffffffffu : (1u << left) - 1u;
}

Q_FN q_u32 q_group_lane(void) {
    q_u32 lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

Q_FN q_i32 q_group_rank(q_u32 lanes) { return __popc(lanes & ((1u << q_group_lane()) - 1u)); }

Q_FN q_i32 q_group_size(q_u32 lanes) { return __popc(lanes); }

Q_FN void q_group_sync(q_u32 lanes) { __syncwarp(lanes); }

// The lane of a thread of a group. Mostly lanes follow each other.
Q_FN q_u32 q_group_lane_of(q_u32 lanes, q_i32 rank) {
    const q_u32 first = (q_u32)__ffs((int)lanes) - 1u;
    const q_u32 moved = lanes >> first;
    return (moved & (moved + 1u)) == 0u ? first + (q_u32)rank : __fns(lanes, 0u, rank + 1);
}

// The bits of lanes as bits of ranks.
Q_FN q_u32 q_group_packed(q_u32 lanes, q_u32 bits) {
    const q_u32 first = (q_u32)__ffs((int)lanes) - 1u;
    const q_u32 moved = lanes >> first;
    if ((moved & (moved + 1u)) == 0u) return (bits & lanes) >> first;
    q_u32 packed = 0u;
    for (q_u32 k = 0u, rest = lanes; rest != 0u; ++k, rest &= rest - 1u) {
        packed |= ((bits >> ((q_u32)__ffs((int)rest) - 1u)) & 1u) << k;
    }
    return packed;
}

Q_FN q_u32 q_group_partition(q_u32 lanes, q_i32 size) {
    const q_u32 rank = (q_u32)q_group_rank(lanes);
    const q_u32 first = rank / (q_u32)size * (q_u32)size;
    q_u32 part = 0u, rest = lanes;
    for (q_u32 k = 0u; rest != 0u; ++k, rest &= rest - 1u) {
        if (k >= first && k - first < (q_u32)size) part |= rest & (0u - rest);
    }
    return part;
}

Q_FN q_i32 q_group_all(q_u32 lanes, q_i32 condition) { return __all_sync(lanes, condition) != 0; }

Q_FN q_i32 q_group_any(q_u32 lanes, q_i32 condition) { return __any_sync(lanes, condition) != 0; }

Q_FN q_u32 q_group_ballot(q_u32 lanes, q_i32 condition) {
    return q_group_packed(lanes, __ballot_sync(lanes, condition));
}

//: cuda i32 u32 i64 u64 f32 f64
Q_FN $T q_group_from_$t(q_u32 lanes, $T value, q_u32 source) {
    const q_u32 own = q_group_lane();
    const q_u32 lane = source < (q_u32)__popc(lanes) ? q_group_lane_of(lanes, (q_i32)source) : own;
    return __shfl_sync(lanes, value, (int)lane);
}

Q_FN $T q_group_shuffle_$t(q_u32 lanes, $T value, q_i32 source) {
    return q_group_from_$t(lanes, value, (q_u32)source);
}

Q_FN $T q_group_shuffle_up_$t(q_u32 lanes, $T value, q_i32 distance) {
    return q_group_from_$t(lanes, value, (q_u32)q_group_rank(lanes) - (q_u32)distance);
}

Q_FN $T q_group_shuffle_down_$t(q_u32 lanes, $T value, q_i32 distance) {
    return q_group_from_$t(lanes, value, (q_u32)q_group_rank(lanes) + (q_u32)distance);
}

Q_FN $T q_group_shuffle_xor_$t(q_u32 lanes, $T value, q_i32 bits) {
    return q_group_from_$t(lanes, value, (q_u32)q_group_rank(lanes) ^ (q_u32)bits);
}

Q_FN q_u32 q_group_match_any_$t(q_u32 lanes, $T value) {
    return q_group_packed(lanes, __match_any_sync(lanes, value));
}

Q_FN q_u32 q_group_match_all_$t(q_u32 lanes, $T value) {
    int same;
    const q_u32 all = __match_all_sync(lanes, value, &same);
    return q_group_packed(lanes, all);
}

//: opencl
Q_FN q_u32 q_group_lanes(void) { return 1u; }

Q_FN q_u32 q_group_of_block(q_i32 thread, q_i32 threads) { return 1u; }

Q_FN q_i32 q_group_rank(q_u32 lanes) { return 0; }

Q_FN q_i32 q_group_size(q_u32 lanes) { return (q_i32)popcount(lanes); }

Q_FN void q_group_sync(q_u32 lanes) {}

Q_FN q_u32 q_group_partition(q_u32 lanes, q_i32 size) { return lanes; }

Q_FN q_i32 q_group_all(q_u32 lanes, q_i32 condition) { return condition != 0; }

Q_FN q_i32 q_group_any(q_u32 lanes, q_i32 condition) { return condition != 0; }

Q_FN q_u32 q_group_ballot(q_u32 lanes, q_i32 condition) { return condition != 0 ? 1u : 0u; }

//: opencl i32 u32 i64 u64 f32 f64
Q_FN $T q_group_shuffle_$t(q_u32 lanes, $T value, q_i32 source) { return value; }

Q_FN $T q_group_shuffle_up_$t(q_u32 lanes, $T value, q_i32 distance) { return value; }

Q_FN $T q_group_shuffle_down_$t(q_u32 lanes, $T value, q_i32 distance) { return value; }

Q_FN $T q_group_shuffle_xor_$t(q_u32 lanes, $T value, q_i32 bits) { return value; }

Q_FN q_u32 q_group_match_any_$t(q_u32 lanes, $T value) { return 1u; }

Q_FN q_u32 q_group_match_all_$t(q_u32 lanes, $T value) { return 1u; }
