// Warp-level operations, as in kernel/groups.rs. A group is a bit mask of lanes. In OpenCL a warp consists of one
// thread, as on the CPU.

//: cuda
Q_FN q_u32 q_group_lanes(void) { return __activemask(); }

Q_FN q_u32 q_group_lane(void) {
    q_u32 lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

Q_FN q_i32 q_group_size(q_u32 lanes) { return __popc(lanes); }

Q_FN void q_group_sync(q_u32 lanes) { __syncwarp(lanes); }

// The mask of lanes in which a condition holds.
Q_FN q_u32 q_group_voted(q_u32 lanes, q_i32 condition) { return __ballot_sync(lanes, condition); }

//: cuda i32 u32 i64 u64 f32 f64
Q_FN $T q_group_get_$t(q_u32 lanes, $T value, q_u32 lane) { return __shfl_sync(lanes, value, (int)lane); }

// The mask of lanes with the same value.
Q_FN q_u32 q_group_alike_$t(q_u32 lanes, $T value) { return __match_any_sync(lanes, value); }

//: opencl
Q_FN q_u32 q_group_lanes(void) { return 1u; }

Q_FN q_u32 q_group_lane(void) { return 0u; }

Q_FN q_i32 q_group_size(q_u32 lanes) { return (q_i32)popcount(lanes); }

Q_FN void q_group_sync(q_u32 lanes) {}

Q_FN q_u32 q_group_voted(q_u32 lanes, q_i32 condition) { return condition != 0 ? lanes : 0u; }

//: opencl i32 u32 i64 u64 f32 f64
Q_FN $T q_group_get_$t(q_u32 lanes, $T value, q_u32 lane) { return value; }

Q_FN q_u32 q_group_alike_$t(q_u32 lanes, $T value) { return lanes; }

//:
// The mask of lanes that have a thread of the block; the last warp may be partial.
Q_FN q_u32 q_group_of_block(q_i32 thread, q_i32 threads) {
    const q_i32 left = threads - thread / Q_WARP_SIZE * Q_WARP_SIZE;
    return left >= Q_WARP_SIZE ? 0xffffffffu >> (32 - Q_WARP_SIZE) : (1u << left) - 1u;
}

Q_FN q_i32 q_group_rank(q_u32 lanes) { return q_group_size(lanes & ((1u << q_group_lane()) - 1u)); }

// The lowest lane.
Q_FN q_u32 q_group_first(q_u32 lanes) { return (q_u32)q_group_size((lanes & (0u - lanes)) - 1u); }

// The lane of a rank in a group. Mostly the lanes are contiguous.
Q_FN q_u32 q_group_lane_of(q_u32 lanes, q_u32 rank) {
    const q_u32 first = q_group_first(lanes), moved = lanes >> first;
    if ((moved & (moved + 1u)) == 0u) return first + rank;
    q_u32 rest = lanes;
    for (q_u32 k = 0u; k < rank; ++k) rest &= rest - 1u;
    return q_group_first(rest);
}

// Converts a mask of lanes to a mask of ranks.
Q_FN q_u32 q_group_packed(q_u32 lanes, q_u32 bits) {
    const q_u32 first = q_group_first(lanes), moved = lanes >> first;
    if ((moved & (moved + 1u)) == 0u) return bits >> first;
    q_u32 packed = 0u, rest = lanes;
    for (q_u32 k = 0u; rest != 0u; ++k) {
        packed |= ((bits >> q_group_first(rest)) & 1u) << k;
        rest &= rest - 1u;
    }
    return packed;
}

Q_FN q_u32 q_group_partition(q_u32 lanes, q_i32 size) {
    const q_u32 rank = (q_u32)q_group_rank(lanes), first = rank / (q_u32)size * (q_u32)size;
    q_u32 part = 0u, rest = lanes;
    for (q_u32 k = 0u; rest != 0u; ++k) {
        if (k >= first && k - first < (q_u32)size) part |= rest & (0u - rest);
        rest &= rest - 1u;
    }
    return part;
}

Q_FN q_i32 q_group_all(q_u32 lanes, q_i32 condition) { return q_group_voted(lanes, condition) == lanes; }

Q_FN q_i32 q_group_any(q_u32 lanes, q_i32 condition) { return q_group_voted(lanes, condition) != 0u; }

Q_FN q_u32 q_group_ballot(q_u32 lanes, q_i32 condition) {
    return q_group_packed(lanes, q_group_voted(lanes, condition));
}

//: i32 u32 i64 u64 f32 f64
// The value of the thread with a given rank; the thread's own value if there is none.
Q_FN $T q_group_from_$t(q_u32 lanes, $T value, q_u32 source) {
    const bool there = source < (q_u32)q_group_size(lanes);
    return q_group_get_$t(lanes, value, there ? q_group_lane_of(lanes, source) : q_group_lane());
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
    return q_group_packed(lanes, q_group_alike_$t(lanes, value));
}

Q_FN q_u32 q_group_match_all_$t(q_u32 lanes, $T value) {
    return q_group_alike_$t(lanes, value) == lanes ? q_group_packed(lanes, lanes) : 0u;
}
