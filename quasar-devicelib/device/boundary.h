// Index maps of the boundary modes, as in boundary.rs. An empty dimension maps everything to 0.
//
// The names without a suffix are for indices of type int. In 64 bits the map is `q_periodize_index_i64`, because
// `q_periodize_i64` is the row of the table; they agree for positive extents.

//: i32 i64
// One condition: a separate test of n is loop-invariant, so compilers unswitch loops into two versions, one for empty
// arrays. In that version a loop that follows indices may not terminate, and PoCL lets all threads of the block enter
// it.
Q_FN q_i32 q_in_range_$t($T i, $T n) { return ($U)i < ($U)(n > 0 ? n : 0); }

Q_FN $T q_clamp_index_$t($T i, $T n) {
    const $T last = n > 0 ? n - 1 : 0;
    const $T low = i > 0 ? i : 0;
    return low < last ? low : last;
}

// Most accesses are in range; a division costs more than this branch.
Q_FN $T q_periodize_index_$t($T i, $T n) {
    if (q_in_range_$t(i, n)) return i;
    return n <= 0 ? 0 : q_modulo_$t(i, n);
}

// Counting periods of n avoids 2n, which could overflow.
Q_FN $T q_mirror_$t($T i, $T n) {
    if (q_in_range_$t(i, n)) return i;
    if (n <= 0) return 0;
    const $T inside = q_modulo_$t(i, n);
    // The quotient of the larger numbers is exact and, unlike i - inside, fits.
    const $T periods = i / n - (i < 0 && i % n != 0);
    return (periods & 1) == 0 ? inside : n - 1 - inside;
}

//:
// The same for -n <= i < 2n, where one reflection or period suffices. Branch-free, so that loads do not depend on each
// other.
Q_FN q_i32 q_mirror_near(q_i32 i, q_i32 n) {
    const q_u32 inside = (q_u32)(i ^ (i >> 31)), other = 2u * (q_u32)n - 1u - inside;
    return (q_i32)(inside < other ? inside : other);
}

Q_FN q_i32 q_periodize_near(q_i32 i, q_i32 n) { return i < 0 ? i + n : i < n ? i : i - n; }

Q_FN q_i32 q_in_range(q_i32 i, q_i32 n) { return q_in_range_i32(i, n); }

Q_FN q_i32 q_clamp_index(q_i32 i, q_i32 n) { return q_clamp_index_i32(i, n); }

Q_FN q_i32 q_periodize(q_i32 i, q_i32 n) { return q_periodize_index_i32(i, n); }

Q_FN q_i32 q_mirror(q_i32 i, q_i32 n) { return q_mirror_i32(i, n); }
