// Fixed-size vectors and matrices in registers, as in small/: matrices are row-major, sizes are constants at the call,
// results do not alias arguments. Loops have constant bounds with conditions inside, so that all indices are constant
// after unrolling.

//: all
Q_FN $T q_sum_$t(const $T *x, q_i32 n) {
    $T sum = q_zero_$t();
#pragma unroll 16
    for (q_i32 i = 0; i < n; ++i) sum = q_add_$t(sum, x[i]);
    return sum;
}

Q_FN $T q_prod_$t(const $T *x, q_i32 n) {
    $T product = q_one_$t();
#pragma unroll 16
    for (q_i32 i = 0; i < n; ++i) product = q_multiply_$t(product, x[i]);
    return product;
}

// The dot product of n elements with these strides.
Q_FN $T q_dot_apart_$t(const $T *a, q_i32 a_step, const $T *b, q_i32 b_step, q_i32 n) {
    $T sum = q_zero_$t();
#pragma unroll 16
    for (q_i32 i = 0; i < n; ++i) sum = q_add_$t(sum, q_multiply_$t(a[i * a_step], b[i * b_step]));
    return sum;
}

Q_FN $T q_dot_$t(const $T *a, const $T *b, q_i32 n) { return q_dot_apart_$t(a, 1, b, 1, n); }

Q_FN void q_cross_$t(const $T *a, const $T *b, $T *out) {
    out[0] = q_subtract_$t(q_multiply_$t(a[1], b[2]), q_multiply_$t(a[2], b[1]));
    out[1] = q_subtract_$t(q_multiply_$t(a[2], b[0]), q_multiply_$t(a[0], b[2]));
    out[2] = q_subtract_$t(q_multiply_$t(a[0], b[1]), q_multiply_$t(a[1], b[0]));
}

Q_FN void q_transpose_$t(const $T *a, $T *out, q_i32 rows, q_i32 columns) {
#pragma unroll 8
    for (q_i32 i = 0; i < rows; ++i) {
#pragma unroll 8
        for (q_i32 j = 0; j < columns; ++j) out[j * rows + i] = a[i * columns + j];
    }
}

Q_FN void q_matmul_$t(const $T *a, const $T *b, $T *out, q_i32 rows, q_i32 inner, q_i32 columns) {
#pragma unroll 8
    for (q_i32 i = 0; i < rows; ++i) {
#pragma unroll 8
        for (q_i32 j = 0; j < columns; ++j) {
            out[i * columns + j] = q_dot_apart_$t(a + i * inner, 1, b + j, columns, inner);
        }
    }
}

Q_FN void q_matvec_$t(const $T *a, const $T *x, $T *out, q_i32 rows, q_i32 columns) {
    q_matmul_$t(a, x, out, rows, columns, 1);
}

Q_FN void q_vecmat_$t(const $T *x, const $T *a, $T *out, q_i32 rows, q_i32 columns) {
    q_matmul_$t(x, a, out, 1, rows, columns);
}

Q_FN void q_outer_$t(const $T *x, const $T *y, $T *out, q_i32 rows, q_i32 columns) {
#pragma unroll 8
    for (q_i32 i = 0; i < rows; ++i) {
#pragma unroll 8
        for (q_i32 j = 0; j < columns; ++j) out[i * columns + j] = q_multiply_$t(x[i], y[j]);
    }
}

Q_FN void q_eye_$t($T *out, q_i32 rows, q_i32 columns) {
#pragma unroll 8
    for (q_i32 i = 0; i < rows; ++i) {
#pragma unroll 8
        for (q_i32 j = 0; j < columns; ++j) out[i * columns + j] = i == j ? q_one_$t() : q_zero_$t();
    }
}

Q_FN $T q_trace_$t(const $T *a, q_i32 n) {
    $T sum = q_zero_$t();
#pragma unroll 16
    for (q_i32 i = 0; i < n; ++i) sum = q_add_$t(sum, a[i * n + i]);
    return sum;
}

Q_FN void q_diag_$t(const $T *a, $T *out, q_i32 n) {
#pragma unroll 16
    for (q_i32 i = 0; i < n; ++i) out[i] = a[i * n + i];
}

Q_FN void q_diagm_$t(const $T *x, $T *out, q_i32 n) {
#pragma unroll 8
    for (q_i32 i = 0; i < n; ++i) {
#pragma unroll 8
        for (q_i32 j = 0; j < n; ++j) out[i * n + j] = i == j ? x[i] : q_zero_$t();
    }
}

//: float f16
Q_FN $T q_norm_$t(const $T *x, q_i32 n) { return q_sqrt_$t(q_dot_$t(x, x, n)); }

//: float f16 complex
Q_FN $T q_minor2_$t(const $T *a, q_i32 n, q_i32 r0, q_i32 r1, q_i32 c0, q_i32 c1) {
    return q_subtract_$t(q_multiply_$t(a[r0 * n + c0], a[r1 * n + c1]), q_multiply_$t(a[r0 * n + c1], a[r1 * n + c0]));
}

Q_FN $T q_minor3_$t(const $T *a, q_i32 n, q_i32 r0, q_i32 r1, q_i32 r2, q_i32 c0, q_i32 c1, q_i32 c2) {
    const $T first = q_multiply_$t(a[r0 * n + c0], q_minor2_$t(a, n, r1, r2, c1, c2));
    const $T second = q_multiply_$t(a[r0 * n + c1], q_minor2_$t(a, n, r1, r2, c0, c2));
    const $T third = q_multiply_$t(a[r0 * n + c2], q_minor2_$t(a, n, r1, r2, c0, c1));
    return q_add_$t(q_subtract_$t(first, second), third);
}

// The cofactor: the signed determinant without a row and a column, for n up to 4.
Q_FN $T q_cofactor_$t(const $T *a, q_i32 n, q_i32 row, q_i32 column) {
    const q_i32 r0 = row > 0 ? 0 : 1, r1 = row > 1 ? 1 : 2, r2 = row > 2 ? 2 : 3;
    const q_i32 c0 = column > 0 ? 0 : 1, c1 = column > 1 ? 1 : 2, c2 = column > 2 ? 2 : 3;
    $T minor_ = q_one_$t();
    if (n == 2) minor_ = a[r0 * n + c0];
    if (n == 3) minor_ = q_minor2_$t(a, n, r0, r1, c0, c1);
    if (n == 4) minor_ = q_minor3_$t(a, n, r0, r1, r2, c0, c1, c2);
    return (row + column) % 2 == 0 ? minor_ : q_negate_$t(minor_);
}

// A select rather than a branch: eliminations have many of them.
Q_FN void q_exchange_if_$t(q_i32 condition, $T *a, $T *b) {
    const $T first = *a, second = *b;
    *a = condition ? second : first;
    *b = condition ? first : second;
}

// Gaussian elimination with partial pivoting: b becomes the solution, a is destroyed, the determinant is returned.
Q_FN $T q_eliminate_$t($T *a, $T *b, q_i32 n, q_i32 columns) {
    $T determinant = q_one_$t();
#pragma unroll 8
    for (q_i32 k = 0; k < n; ++k) {
        q_i32 best = k;
        $R largest = q_abs_$t(a[k * n + k]);
#pragma unroll 8
        for (q_i32 i = 0; i < n; ++i) {
            if (i > k) {
                const $R size = q_abs_$t(a[i * n + k]);
                const q_i32 better = q_greater_$r(size, largest);
                best = better ? i : best;
                largest = better ? size : largest;
            }
        }
        // A data-dependent index would force the matrix out of registers.
#pragma unroll 8
        for (q_i32 i = 0; i < n; ++i) {
            if (i > k) {
#pragma unroll 8
                for (q_i32 j = 0; j < n; ++j) {
                    if (j >= k) q_exchange_if_$t(i == best, a + k * n + j, a + i * n + j);
                }
#pragma unroll 8
                for (q_i32 j = 0; j < columns; ++j) {
                    q_exchange_if_$t(i == best, b + k * columns + j, b + i * columns + j);
                }
            }
        }
        const $T pivot = a[k * n + k];
        determinant = q_multiply_$t(best == k ? determinant : q_negate_$t(determinant), pivot);
        // The factors below would be 0/0, but the determinant is exactly 0.
        if (q_logical_not_$t(pivot)) break;
#pragma unroll 8
        for (q_i32 i = 0; i < n; ++i) {
            if (i > k) {
                const $T factor = q_divide_$t(a[i * n + k], pivot);
#pragma unroll 8
                for (q_i32 j = 0; j < n; ++j) {
                    if (j > k) a[i * n + j] = q_subtract_$t(a[i * n + j], q_multiply_$t(factor, a[k * n + j]));
                }
#pragma unroll 8
                for (q_i32 j = 0; j < columns; ++j) {
                    b[i * columns + j] = q_subtract_$t(b[i * columns + j], q_multiply_$t(factor, b[k * columns + j]));
                }
            }
        }
    }
#pragma unroll 8
    for (q_i32 back = 0; back < n; ++back) {
        const q_i32 i = n - 1 - back;
#pragma unroll 8
        for (q_i32 j = 0; j < columns; ++j) {
            $T sum = b[i * columns + j];
#pragma unroll 8
            for (q_i32 k = 0; k < n; ++k) {
                if (k > i) sum = q_subtract_$t(sum, q_multiply_$t(a[i * n + k], b[k * columns + j]));
            }
            b[i * columns + j] = q_divide_$t(sum, a[i * n + i]);
        }
    }
    return determinant;
}

Q_FN void q_copy_$t(const $T *a, $T *out, q_i32 count) {
#pragma unroll 64
    for (q_i32 i = 0; i < count; ++i) out[i] = a[i];
}

// Arrays in registers have at most 64 elements.
Q_FN $T q_det_$t(const $T *a, q_i32 n) {
    if (n > 4) {
        $T work[64];
        q_copy_$t(a, work, n * n);
        return q_eliminate_$t(work, work, n, 0);
    }
    $T sum = n == 0 ? q_one_$t() : q_zero_$t();
#pragma unroll
    for (q_i32 j = 0; j < 4; ++j) {
        if (j < n) sum = q_add_$t(sum, q_multiply_$t(a[j], q_cofactor_$t(a, n, 0, j)));
    }
    return sum;
}

Q_FN void q_solve_$t(const $T *a, const $T *b, $T *out, q_i32 n, q_i32 columns) {
    $T work[64];
    q_copy_$t(a, work, n * n);
    q_copy_$t(b, out, n * columns);
    q_eliminate_$t(work, out, n, columns);
}

Q_FN void q_inv_$t(const $T *a, $T *out, q_i32 n) {
    if (n > 4) {
        $T work[64];
        q_copy_$t(a, work, n * n);
        q_eye_$t(out, n, n);
        q_eliminate_$t(work, out, n, n);
        return;
    }
    const $T determinant = q_det_$t(a, n);
#pragma unroll
    for (q_i32 i = 0; i < 4; ++i) {
#pragma unroll
        for (q_i32 j = 0; j < 4; ++j) {
            if (i < n && j < n) out[i * n + j] = q_divide_$t(q_cofactor_$t(a, n, j, i), determinant);
        }
    }
}
