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

    /// From how many registers of numbers side by side [`Lanes::choose`] takes its numbers at most; zero if there is no instruction
    /// for that.
    const CHOICE: usize = 0;

    /// For each of `COUNT` lanes the number `(place - first) * step` of some registers.
    fn choose(from: &[T], places: &[i32], (first, step): (i32, i32), to: &mut [T])
    where
        T: Copy,
    {
        for (to, place) in to.iter_mut().zip(places) {
            *to = from[(place.wrapping_sub(first)).wrapping_mul(step) as usize];
        }
    }
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
            $splat:ident $load:ident $store:ident $add:ident $subtract:ident $multiply:ident $multiply_add:path
            $(, $choice:literal $choose:ident)?;)*) => {$(
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

                $(
                const CHOICE: usize = $choice;

                #[inline(always)]
                fn choose(from: &[$rust], places: &[i32], (first, step): (i32, i32), to: &mut [$rust]) {
                    let registers = from.len() / $count;
                    assert!(registers > 0);
                    let (places, to) = (&places[..$count], &mut to[..$count]);
                    let (from, to) = (from.as_ptr().cast(), to.as_mut_ptr().cast());
                    // SAFETY: as for `splat`; the slices have all numbers that are read and written, at any alignment.
                    unsafe { $choose(from, registers, (first, step), places.as_ptr(), to) }
                }
                )?
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

    // Closures would hide the instructions from the function for a processor, into which all of this is inlined.

    /// # Safety
    ///
    /// The processor has AVX-512, and there are so many registers of numbers and one more.
    #[inline(always)]
    unsafe fn load_512(from: *const i32, register: usize) -> __m512i {
        // SAFETY: as the caller promises.
        unsafe { _mm512_loadu_si512(from.add(16 * register).cast()) }
    }

    /// # Safety
    ///
    /// The processor has AVX2, and there are so many registers of numbers and one more.
    #[inline(always)]
    unsafe fn load_256(from: *const i32, register: usize) -> __m256i {
        // SAFETY: as the caller promises.
        unsafe { _mm256_loadu_si256(from.add(8 * register).cast()) }
    }

    /// # Safety
    ///
    /// The processor has AVX-512, there are so many registers of numbers, and 16 places and results.
    #[inline(always)]
    unsafe fn sixteen(
        from: *const i32,
        registers: usize,
        (first, step): (i32, i32),
        places: *const i32,
        out: *mut i32,
    ) {
        // SAFETY: as the caller promises.
        unsafe {
            let mut at = _mm512_sub_epi32(_mm512_loadu_si512(places.cast()), _mm512_set1_epi32(first));
            if step > 1 {
                at = _mm512_mullo_epi32(at, _mm512_set1_epi32(step));
            }
            let mut found = match registers {
                1 => _mm512_permutexvar_epi32(at, load_512(from, 0)),
                _ => _mm512_permutex2var_epi32(load_512(from, 0), at, load_512(from, 1)),
            };
            // Two registers at a time; the lanes beyond take those of the next two.
            let mut k = 2;
            while k < registers {
                let second = if k + 1 < registers { load_512(from, k + 1) } else { load_512(from, k) };
                let beyond = _mm512_cmpge_epu32_mask(at, _mm512_set1_epi32(16 * k as i32));
                found = _mm512_mask_blend_epi32(
                    beyond,
                    found,
                    _mm512_permutex2var_epi32(load_512(from, k), at, second),
                );
                k += 2;
            }
            _mm512_storeu_si512(out.cast(), found);
        }
    }

    /// # Safety
    ///
    /// The processor has AVX2, there are so many registers of numbers, and 8 places and results.
    #[inline(always)]
    unsafe fn eight(
        from: *const i32,
        registers: usize,
        (first, step): (i32, i32),
        places: *const i32,
        out: *mut i32,
    ) {
        // SAFETY: as the caller promises.
        unsafe {
            let mut at = _mm256_sub_epi32(_mm256_loadu_si256(places.cast()), _mm256_set1_epi32(first));
            if step > 1 {
                at = _mm256_mullo_epi32(at, _mm256_set1_epi32(step));
            }
            let mut found = _mm256_permutevar8x32_epi32(load_256(from, 0), at);
            for k in 1..registers {
                let beyond = _mm256_cmpgt_epi32(at, _mm256_set1_epi32(8 * k as i32 - 1));
                found = _mm256_blendv_epi8(found, _mm256_permutevar8x32_epi32(load_256(from, k), at), beyond);
            }
            _mm256_storeu_si256(out.cast(), found);
        }
    }

    registers! {
        Single128(__m128) f32, 4: _mm_set1_ps _mm_loadu_ps _mm_storeu_ps
            _mm_add_ps _mm_sub_ps _mm_mul_ps single;
        Double128(__m128d) f64, 2: _mm_set1_pd _mm_loadu_pd _mm_storeu_pd
            _mm_add_pd _mm_sub_pd _mm_mul_pd double;
        Single256(__m256) f32, 8: _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps
            _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_fmadd_ps, 4 eight;
        Double256(__m256d) f64, 4: _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd
            _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_fmadd_pd;
        Single512(__m512) f32, 16: _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps
            _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_fmadd_ps, 6 sixteen;
        Double512(__m512d) f64, 8: _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd
            _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_fmadd_pd;
    }
}
