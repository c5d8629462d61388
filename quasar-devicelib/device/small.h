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
// A select rather than a branch: eliminations have many of them.
Q_FN void q_exchange_if_$t(q_i32 condition, $T *a, $T *b) {
    const $T first = *a, second = *b;
    *a = condition ? second : first;
    *b = condition ? first : second;
}

// Gaussian elimination with partial pivoting: b becomes the solution, a is destroyed, the determinant is returned.
// The order of the operations is that of the host, so that both agree bit by bit.
Q_FN $T q_eliminate_$t($T *a, $T *b, q_i32 n, q_i32 columns, q_i32 *singular) {
    $T determinant = q_one_$t();
    q_i32 odd = 0;
    *singular = 0;
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
        determinant = q_multiply_$t(determinant, pivot);
        odd ^= best != k;
        *singular |= q_logical_not_$t(pivot) ? 1 : 0;
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
    // A zero pivot makes infinities and NaN of the rest, but the determinant is exactly 0.
    return *singular ? q_zero_$t() : odd ? q_negate_$t(determinant) : determinant;
}

Q_FN void q_copy_$t(const $T *a, $T *out, q_i32 count) {
#pragma unroll 64
    for (q_i32 i = 0; i < count; ++i) out[i] = a[i];
}

// Arrays in registers have at most 64 elements.
Q_FN $T q_det_$t(const $T *a, q_i32 n) {
    $T work[64];
    q_i32 singular;
    q_copy_$t(a, work, n * n);
    return q_eliminate_$t(work, work, n, 0, &singular);
}

Q_FN q_i32 q_singular_$t(const $T *a, q_i32 n) {
    $T work[64];
    q_i32 singular;
    q_copy_$t(a, work, n * n);
    q_eliminate_$t(work, work, n, 0, &singular);
    return singular;
}

Q_FN void q_solve_$t(const $T *a, const $T *b, $T *out, q_i32 n, q_i32 columns) {
    $T work[64];
    q_i32 singular;
    q_copy_$t(a, work, n * n);
    q_copy_$t(b, out, n * columns);
    q_eliminate_$t(work, out, n, columns, &singular);
}

Q_FN void q_inv_$t(const $T *a, $T *out, q_i32 n) {
    $T work[64];
    q_i32 singular;
    q_copy_$t(a, work, n * n);
    q_eye_$t(out, n, n);
    q_eliminate_$t(work, out, n, n, &singular);
}
