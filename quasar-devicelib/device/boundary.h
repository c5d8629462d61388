// Index maps of the access modes, as boundary.rs. An empty dimension maps everything to 0.
//
// The names without an ending are for indices of type int. In 64 bits the map is `q_periodize_index_i64`, because
// `q_periodize_i64` is the row of the table; they agree for positive extents.

//: i32 i64
// One condition: a test of n alone does not change in a loop, which compilers then write twice, once for no elements at all.
// There a loop that follows indices may have no end, and PoCL lets all threads of the block into it.
Q_FN q_i32 q_in_range_$t($T i, $T n) { return ($U)i < ($U)(n > 0 ? n : 0); }

Q_FN $T q_clamp_index_$t($T i, $T n) {
    const $T last = n > 0 ? n - 1 : 0;
    const $T low = i > 0 ? i : 0;
    return low < last ? low : last;
}

// Most accesses lie inside; a division costs more than this branch.
Q_FN $T q_periodize_index_$t($T i, $T n) {
    if (q_in_range_$t(i, n)) return i;
    return n <= 0 ? 0 : q_modulo_$t(i, n);
}

// Counting whole periods of n needs no 2n, which could overflow.
Q_FN $T q_mirror_$t($T i, $T n) {
    if (q_in_range_$t(i, n)) return i;
    if (n <= 0) return 0;
    const $T inside = q_modulo_$t(i, n);
    // The quotient of the larger numbers is exact and, unlike i - inside, fits.
    const $T periods = i / n - (i < 0 && i % n != 0);
    return (periods & 1) == 0 ? inside : n - 1 - inside;
}

//:
// The same for indices that one reflection, or one period, brings inside: -n <= i < 2n. There are no branches, so that fetches
// need not wait for each other.
Q_FN q_i32 q_mirror_near(q_i32 i, q_i32 n) {
    const q_u32 inside = (q_u32)(i ^ (i >> 31)), other = 2u * (q_u32)n - 1u - inside;
    return (q_i32)(inside < other ? inside : other);
}

Q_FN q_i32 q_periodize_near(q_i32 i, q_i32 n) { return i < 0 ? i + n : i < n ? i : i - n; }

Q_FN q_i32 q_in_range(q_i32 i, q_i32 n) { return q_in_range_i32(i, n); }

Q_FN q_i32 q_clamp_index(q_i32 i, q_i32 n) { return q_clamp_index_i32(i, n); }

Q_FN q_i32 q_periodize(q_i32 i, q_i32 n) { return q_periodize_index_i32(i, n); }

Q_FN q_i32 q_mirror(q_i32 i, q_i32 n) { return q_mirror_i32(i, n); }
