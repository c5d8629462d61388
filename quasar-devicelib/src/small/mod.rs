//! Vectors and matrices of fixed size, held in registers: `[T; N]` and `[[T; C]; R]`.
