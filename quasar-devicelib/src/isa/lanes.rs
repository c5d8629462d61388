//! SIMD vectors of floats, for the few loops whose accumulators must stay in registers. Other code relies on the
//! auto-vectoriser, which may not keep several accumulators in registers.

/// A vector register of an instruction set.
pub trait Lanes<T>: Copy {
    /// Number of lanes.
    const COUNT: usize;

    /// Broadcasts a value to all lanes.
    fn splat(value: T) -> Self;

    /// Loads the first elements of a slice, which must have at least `COUNT`.
    fn load(from: &[T]) -> Self;

    /// Stores to the first elements of a slice, which must have at least `COUNT`.
    fn store(self, to: &mut [T]);

    /// Lanewise sum.
    fn add(self, other: Self) -> Self;

    /// Lanewise difference.
    fn subtract(self, other: Self) -> Self;

    /// Lanewise product.
    fn multiply(self, other: Self) -> Self;

    /// `self * weight + sum`, fused if the instruction set has that.
    fn multiply_add(self, weight: Self, sum: Self) -> Self;
}

/// Four lanes as an array, for the auto-vectoriser.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Copy, Debug)]
pub struct Four<T>([T; 4]);

#[cfg(not(target_arch = "x86_64"))]
macro_rules! four {
    ($($rust:ty)*) => {
        $(impl Lanes<$rust> for Four<$rust> {
            const COUNT: usize = 4;

            #[inline(always)]
            fn splat(value: $rust) -> Self {
                Four([value; 4])
            }

            #[inline(always)]
            fn load(from: &[$rust]) -> Self {
                Four([from[0], from[1], from[2], from[3]])
            }

            #[inline(always)]
            fn store(self, to: &mut [$rust]) {
                to[..4].copy_from_slice(&self.0);
            }

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Four(std::array::from_fn(|k| self.0[k] + other.0[k]))
            }

            #[inline(always)]
            fn subtract(self, other: Self) -> Self {
                Four(std::array::from_fn(|k| self.0[k] - other.0[k]))
            }

            #[inline(always)]
            fn multiply(self, other: Self) -> Self {
                Four(std::array::from_fn(|k| self.0[k] * other.0[k]))
            }

            #[inline(always)]
            fn multiply_add(self, weight: Self, sum: Self) -> Self {
                use super::{Baseline, Isa};
                let one = |a: $rust, b: $rust, c: $rust| if Baseline::FMA { a.mul_add(b, c) } else { a * b + c };
                Four(std::array::from_fn(|k| one(self.0[k], weight.0[k], sum.0[k])))
            }
        })*
    };
}
#[cfg(not(target_arch = "x86_64"))]
four!(f32 f64);

#[cfg(target_arch = "x86_64")]
#[allow(
    unreachable_pub,
    reason = "these are associated types of a public trait, which nothing outside may name"
)]
pub(super) mod x86 {
    use super::Lanes;
    use std::arch::x86_64::*;

    macro_rules! registers {
        ($($name:ident($register:ident) $rust:ty, $count:literal:
            $splat:ident $load:ident $store:ident $add:ident $subtract:ident $multiply:ident $multiply_add:path;)*) => {$(
            // Only `isa` names this type, and bodies only get it on processors that have its instructions.
            #[derive(Clone, Copy, Debug)]
            pub struct $name($register);

            impl Lanes<$rust> for $name {
                const COUNT: usize = $count;

                #[inline(always)]
                fn splat(value: $rust) -> Self {
                    // SAFETY: code that gets the type runs on a processor with its instructions.
                    $name(unsafe { $splat(value) })
                }

                #[inline(always)]
                fn load(from: &[$rust]) -> Self {
                    let from = &from[..$count];
                    // SAFETY: as for `splat`; the slice has all elements that are read, at any alignment.
                    $name(unsafe { $load(from.as_ptr()) })
                }

                #[inline(always)]
                fn store(self, to: &mut [$rust]) {
                    let to = &mut to[..$count];
                    // SAFETY: as for `splat`; the slice has all elements that are written, at any alignment.
                    unsafe { $store(to.as_mut_ptr(), self.0) }
                }

                #[inline(always)]
                fn add(self, other: Self) -> Self {
                    // SAFETY: as for `splat`.
                    $name(unsafe { $add(self.0, other.0) })
                }

                #[inline(always)]
                fn subtract(self, other: Self) -> Self {
                    // SAFETY: as for `splat`.
                    $name(unsafe { $subtract(self.0, other.0) })
                }

                #[inline(always)]
                fn multiply(self, other: Self) -> Self {
                    // SAFETY: as for `splat`.
                    $name(unsafe { $multiply(self.0, other.0) })
                }

                #[inline(always)]
                fn multiply_add(self, weight: Self, sum: Self) -> Self {
                    // SAFETY: as for `splat`.
                    $name(unsafe { $multiply_add(self.0, weight.0, sum.0) })
                }
            }
        )*};
    }
    /// `a * b + c`, fused only if the build target has FMA.
    macro_rules! in_two_steps {
        ($($name:ident $register:ident $multiply:ident $add:ident $fused:ident;)*) => {$(
            #[inline(always)]
            unsafe fn $name(a: $register, b: $register, c: $register) -> $register {
                // SAFETY: the instructions belong to the baseline of the build.
                unsafe { if cfg!(target_feature = "fma") { $fused(a, b, c) } else { $add($multiply(a, b), c) } }
            }
        )*};
    }
    in_two_steps! {
        single __m128 _mm_mul_ps _mm_add_ps _mm_fmadd_ps;
        double __m128d _mm_mul_pd _mm_add_pd _mm_fmadd_pd;
    }

    registers! {
        Single128(__m128) f32, 4: _mm_set1_ps _mm_loadu_ps _mm_storeu_ps
            _mm_add_ps _mm_sub_ps _mm_mul_ps single;
        Double128(__m128d) f64, 2: _mm_set1_pd _mm_loadu_pd _mm_storeu_pd
            _mm_add_pd _mm_sub_pd _mm_mul_pd double;
        Single256(__m256) f32, 8: _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps
            _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_fmadd_ps;
        Double256(__m256d) f64, 4: _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd
            _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_fmadd_pd;
        Single512(__m512) f32, 16: _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps
            _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_fmadd_ps;
        Double512(__m512d) f64, 8: _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd
            _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_fmadd_pd;
    }
}
