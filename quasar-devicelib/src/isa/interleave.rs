//! Transposition of interleaved elements, such as the channels of pixels: `L` groups of `S` elements to `S` vectors of `L`, and back.
//! LLVM's vectoriser would move the elements one by one.

use crate::element::Element;

/// Groups to vectors, element by element.
#[inline(always)]
pub(super) fn plain_deinterleave<T: Element, const S: usize, const L: usize>(
    groups: &[[T; S]; L],
) -> [[T; L]; S] {
    std::array::from_fn(|k| std::array::from_fn(|lane| groups[lane][k]))
}

/// Vectors to groups, element by element.
#[inline(always)]
pub(super) fn plain_interleave<T: Element, const S: usize, const L: usize>(
    vectors: &[[T; L]; S],
) -> [[T; S]; L] {
    std::array::from_fn(|lane| std::array::from_fn(|k| vectors[k][lane]))
}

#[cfg(target_arch = "x86_64")]
pub(super) use x86::{avx2, avx512};

#[cfg(target_arch = "x86_64")]
#[allow(
    clippy::needless_range_loop,
    reason = "iterators over registers are functions without the instructions of a level"
)]
mod x86 {
    use super::{plain_deinterleave, plain_interleave};
    use crate::element::Element;
    use std::arch::x86_64::*;
    use std::mem::size_of;

    /// For each of `S` registers of results and each of its `N` units: the register of `S` and the unit there that it comes from. An
    /// element has `unit` units.
    const fn sources<const N: usize, const S: usize>(
        deinterleave: bool,
        unit: usize,
    ) -> [[(usize, usize); N]; S] {
        let mut found = [[(0, 0); N]; S];
        let elements = N / unit;
        let mut out = 0;
        while out < S {
            let mut k = 0;
            while k < N {
                let element = k / unit;
                let (register, at) = if deinterleave {
                    let flat = S * element + out;
                    (flat / elements, flat % elements)
                } else {
                    let flat = elements * out + element;
                    (flat % S, flat / S)
                };
                found[out][k] = (register, at * unit + k % unit);
                k += 1;
            }
            out += 1;
        }
        found
    }

    /// Indices for permutations of two registers: step `j` takes the units of register `j` and keeps those of earlier ones.
    const fn steps<const N: usize, const S: usize>(deinterleave: bool) -> [[[i32; N]; S]; S] {
        let from = sources::<N, S>(deinterleave, 1);
        let mut found = [[[0; N]; S]; S];
        let mut out = 0;
        while out < S {
            let mut step = 1;
            while step < S {
                let mut k = 0;
                while k < N {
                    let (register, at) = from[out][k];
                    found[out][step][k] = if register == step {
                        (N + at) as i32
                    } else if register == 0 && step == 1 {
                        at as i32
                    } else {
                        k as i32
                    };
                    k += 1;
                }
                step += 1;
            }
            out += 1;
        }
        found
    }

    /// Indices within each register, and all ones where it is the one that a unit comes from.
    const fn choices<const S: usize>(deinterleave: bool, unit: usize) -> [[([i32; 8], [i32; 8]); S]; S] {
        let from = sources::<8, S>(deinterleave, unit);
        let mut found = [[([0; 8], [0; 8]); S]; S];
        let mut out = 0;
        while out < S {
            let mut k = 0;
            while k < 8 {
                let (register, at) = from[out][k];
                found[out][register].0[k] = at as i32;
                found[out][register].1[k] = -1;
                k += 1;
            }
            out += 1;
        }
        found
    }

    /// Indices of bytes within each register, with the highest bit where a byte comes from another one.
    const fn bytes<const S: usize>(deinterleave: bool, unit: usize) -> [[[u8; 16]; S]; S] {
        let from = sources::<16, S>(deinterleave, unit);
        let mut found = [[[0x80; 16]; S]; S];
        let mut out = 0;
        while out < S {
            let mut k = 0;
            while k < 16 {
                let (register, at) = from[out][k];
                found[out][register][k] = at as u8;
                k += 1;
            }
            out += 1;
        }
        found
    }

    /// Where the register of a part of the groups or vectors lies: `lanes` is the length of a vector in bytes.
    const fn place(
        grouped: bool,
        (part, register): (usize, usize),
        (size, count, lanes): (usize, usize, usize),
    ) -> usize {
        if grouped { (part * count + register) * size } else { register * lanes + part * size }
    }

    macro_rules! by_permutations {
        ($($name:ident $count:literal $permute:ident $index:ty;)*) => {$(
            /// Moves `parts` registers of each vector.
            ///
            /// # Safety
            ///
            /// The processor has AVX-512, and both pointers lead to `S * parts` registers.
            #[inline(always)]
            unsafe fn $name<const S: usize, const DEINTERLEAVE: bool>(
                from: *const u8,
                to: *mut u8,
                parts: usize,
            ) {
                let steps = const {
                    let steps = steps::<$count, S>(DEINTERLEAVE);
                    let mut wide = [[[0 as $index; $count]; S]; S];
                    let mut k = 0;
                    while k < S * S * $count {
                        wide[k / $count / S][k / $count % S][k % $count] = steps[k / $count / S][k / $count % S][k % $count] as $index;
                        k += 1;
                    }
                    wide
                };
                let layout = (64, S, 64 * parts);
                for part in 0..parts {
                    // SAFETY: as the caller promises.
                    unsafe {
                        let mut registers = [_mm512_setzero_si512(); S];
                        for k in 0..S {
                            registers[k] = _mm512_loadu_si512(from.add(place(DEINTERLEAVE, (part, k), layout)).cast());
                        }
                        for out in 0..S {
                            let mut found = registers[0];
                            for step in 1..S {
                                let index = _mm512_loadu_si512(steps[out][step].as_ptr().cast());
                                found = $permute(found, index, registers[step]);
                            }
                            _mm512_storeu_si512(to.add(place(!DEINTERLEAVE, (part, out), layout)).cast(), found);
                        }
                    }
                }
            }
        )*};
    }
    by_permutations! {
        by_512_of_32 16 _mm512_permutex2var_epi32 i32;
        by_512_of_64 8 _mm512_permutex2var_epi64 i64;
    }

    /// Moves `parts` registers of each vector of elements with `UNIT` times 32 bits.
    ///
    /// # Safety
    ///
    /// The processor has AVX2, and both pointers lead to `S * parts` registers.
    #[inline(always)]
    unsafe fn by_256<const S: usize, const UNIT: usize, const DEINTERLEAVE: bool>(
        from: *const u8,
        to: *mut u8,
        parts: usize,
    ) {
        let choices = const { choices::<S>(DEINTERLEAVE, UNIT) };
        let layout = (32, S, 32 * parts);
        for part in 0..parts {
            // SAFETY: as the caller promises.
            unsafe {
                let mut registers = [_mm256_setzero_si256(); S];
                for k in 0..S {
                    registers[k] =
                        _mm256_loadu_si256(from.add(place(DEINTERLEAVE, (part, k), layout)).cast());
                }
                for out in 0..S {
                    let mut found = _mm256_setzero_si256();
                    for k in 0..S {
                        let (index, own) = &choices[out][k];
                        let moved = _mm256_permutevar8x32_epi32(
                            registers[k],
                            _mm256_loadu_si256(index.as_ptr().cast()),
                        );
                        found = _mm256_blendv_epi8(found, moved, _mm256_loadu_si256(own.as_ptr().cast()));
                    }
                    _mm256_storeu_si256(to.add(place(!DEINTERLEAVE, (part, out), layout)).cast(), found);
                }
            }
        }
    }

    /// Moves `parts` registers of each vector of elements with `UNIT` bytes.
    ///
    /// # Safety
    ///
    /// The processor has SSSE3, and both pointers lead to `S * parts` registers.
    #[inline(always)]
    unsafe fn by_128<const S: usize, const UNIT: usize, const DEINTERLEAVE: bool>(
        from: *const u8,
        to: *mut u8,
        parts: usize,
    ) {
        let bytes = const { bytes::<S>(DEINTERLEAVE, UNIT) };
        let layout = (16, S, 16 * parts);
        for part in 0..parts {
            // SAFETY: as the caller promises.
            unsafe {
                let mut registers = [_mm_setzero_si128(); S];
                for k in 0..S {
                    registers[k] = _mm_loadu_si128(from.add(place(DEINTERLEAVE, (part, k), layout)).cast());
                }
                for out in 0..S {
                    let mut found = _mm_setzero_si128();
                    for k in 0..S {
                        let index = _mm_loadu_si128(bytes[out][k].as_ptr().cast());
                        found = _mm_or_si128(found, _mm_shuffle_epi8(registers[k], index));
                    }
                    _mm_storeu_si128(to.add(place(!DEINTERLEAVE, (part, out), layout)).cast(), found);
                }
            }
        }
    }

    macro_rules! levels {
        ($($level:ident $kernel:ident;)*) => {$(
            pub(in super::super) mod $level {
                use super::*;

                /// Groups to vectors.
                ///
                /// # Safety
                ///
                /// The processor has the instructions of the level.
                #[inline(always)]
                pub(in super::super::super) unsafe fn deinterleave<T: Element, const S: usize, const L: usize>(
                    groups: &[[T; S]; L],
                ) -> [[T; L]; S] {
                    let mut vectors = [[T::default(); L]; S];
                    // SAFETY: as the caller promises; all bytes of one are elements, and there are as many in the other.
                    if unsafe { $kernel::<T, S, L, true>(groups.as_ptr().cast(), vectors.as_mut_ptr().cast()) } {
                        vectors
                    } else {
                        plain_deinterleave(groups)
                    }
                }

                /// Vectors to groups.
                ///
                /// # Safety
                ///
                /// The processor has the instructions of the level.
                #[inline(always)]
                pub(in super::super::super) unsafe fn interleave<T: Element, const S: usize, const L: usize>(
                    vectors: &[[T; L]; S],
                ) -> [[T; S]; L] {
                    let mut groups = [[T::default(); S]; L];
                    // SAFETY: as for `deinterleave`.
                    if unsafe { $kernel::<T, S, L, false>(vectors.as_ptr().cast(), groups.as_mut_ptr().cast()) } {
                        groups
                    } else {
                        plain_interleave(vectors)
                    }
                }
            }
        )*};
    }
    levels! {
        avx2 move_256;
        avx512 move_512;
    }

    /// Moves all elements by AVX-512, if there are instructions for them and vectors fill registers.
    ///
    /// # Safety
    ///
    /// The processor has AVX-512, and both pointers lead to `S * L` elements.
    #[inline(always)]
    unsafe fn move_512<T, const S: usize, const L: usize, const DEINTERLEAVE: bool>(
        from: *const u8,
        to: *mut u8,
    ) -> bool {
        let length = size_of::<T>() * L;
        // SAFETY: as the caller promises.
        unsafe {
            match size_of::<T>() {
                4 if length.is_multiple_of(64) => by_512_of_32::<S, DEINTERLEAVE>(from, to, length / 64),
                8 if length.is_multiple_of(64) => by_512_of_64::<S, DEINTERLEAVE>(from, to, length / 64),
                _ => return move_256::<T, S, L, DEINTERLEAVE>(from, to),
            }
        }
        true
    }

    /// Moves all elements by AVX2, if there are instructions for them and vectors fill registers.
    ///
    /// # Safety
    ///
    /// The processor has AVX2, and both pointers lead to `S * L` elements.
    #[inline(always)]
    unsafe fn move_256<T, const S: usize, const L: usize, const DEINTERLEAVE: bool>(
        from: *const u8,
        to: *mut u8,
    ) -> bool {
        let length = size_of::<T>() * L;
        // SAFETY: as the caller promises.
        unsafe {
            match size_of::<T>() {
                1 if length.is_multiple_of(16) => by_128::<S, 1, DEINTERLEAVE>(from, to, length / 16),
                2 if length.is_multiple_of(16) => by_128::<S, 2, DEINTERLEAVE>(from, to, length / 16),
                4 if length.is_multiple_of(32) => by_256::<S, 1, DEINTERLEAVE>(from, to, length / 32),
                8 if length.is_multiple_of(32) => by_256::<S, 2, DEINTERLEAVE>(from, to, length / 32),
                _ => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Body, Isa, Level, dispatch_on};
    use super::*;

    /// Numbers of `S` channels, there and back.
    struct ThereAndBack<'a, T, const S: usize, const L: usize>(&'a [[T; S]; L]);

    impl<T: Element, const S: usize, const L: usize> Body for ThereAndBack<'_, T, S, L> {
        type Output = ([[T; L]; S], [[T; S]; L]);

        #[inline(always)]
        fn run<I: Isa>(self) -> Self::Output {
            let vectors = I::deinterleave(self.0);
            (vectors, I::interleave(&vectors))
        }
    }

    fn check<T: Element, const S: usize, const L: usize>(number: impl Fn(usize) -> T) {
        let groups: [[T; S]; L] = std::array::from_fn(|lane| std::array::from_fn(|k| number(lane * S + k)));
        let expected = plain_deinterleave(&groups);
        for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
            let (vectors, back) = dispatch_on(level, ThereAndBack(&groups));
            assert_eq!(vectors, expected, "{S} elements of {} bytes, {L} lanes, {level:?}", size_of::<T>());
            assert_eq!(back, groups, "{S} elements of {} bytes, {L} lanes, {level:?}", size_of::<T>());
        }
    }

    macro_rules! each_count {
        ($($count:literal)*) => {$(
            check::<u8, $count, 32>(|k| k as u8);
            check::<u8, $count, 8>(|k| k as u8);
            check::<i16, $count, 32>(|k| k as i16);
            check::<f32, $count, 32>(|k| k as f32);
            check::<f32, $count, 8>(|k| k as f32);
            check::<f32, $count, 3>(|k| k as f32);
            check::<f64, $count, 16>(|k| k as f64);
            check::<f64, $count, 4>(|k| k as f64);
            check::<num_complex::Complex<f32>, $count, 8>(|k| num_complex::Complex::new(k as f32, -1.0));
            check::<num_complex::Complex<f64>, $count, 8>(|k| num_complex::Complex::new(k as f64, -1.0));
        )*};
    }

    #[test]
    fn elements_of_all_sizes_are_moved_there_and_back() {
        each_count!(1 2 3 4 5 8);
    }
}
