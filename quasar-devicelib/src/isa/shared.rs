//! Vectors of elements that other threads may read and write: neighbouring relaxed atomics, loaded or stored by one instruction.
//!
//! LLVM keeps atomic accesses apart, and an ordinary load of memory that another thread writes is undefined behaviour. An
//! instruction that is written in assembly is neither: it has the effect that the processor gives it. A vector of naturally
//! aligned elements of up to eight bytes is, on every x86-64 processor, as many accesses of its elements, each of which is
//! indivisible.

#[cfg(all(target_arch = "x86_64", not(miri)))]
pub(super) use x86::{avx2, avx512, baseline};

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod x86 {
    use std::arch::asm;
    use std::arch::x86_64::{__m128i, __m256i, __m512i};

    /// Functions that copy the whole vectors of so many bytes, the widest first.
    macro_rules! level {
        ($level:ident $($features:literal)?, $($vector:ty, $class:ident, $move:literal;)*) => {
            pub(in super::super) mod $level {
                use super::*;

                /// Copies what threads share to `to`.
                ///
                /// # Safety
                /// See [`Isa::load_shared`](crate::isa::Isa::load_shared).
                $(#[target_feature(enable = $features)])?
                #[inline]
                pub(in super::super::super) unsafe fn load(from: *const u8, to: *mut u8, bytes: usize) -> usize {
                    let mut done = 0;
                    $(while bytes - done >= size_of::<$vector>() {
                        let vector: $vector;
                        // SAFETY: so many bytes are left, which the caller has for atomic loads and for writes.
                        unsafe {
                            asm!(
                                concat!($move, " {vector}, [{from}]"),
                                vector = lateout($class) vector,
                                from = in(reg) from.add(done),
                                options(nostack, preserves_flags, readonly),
                            );
                            to.add(done).cast::<$vector>().write_unaligned(vector);
                        }
                        done += size_of::<$vector>();
                    })*
                    done
                }

                /// Copies from `from` to what threads share.
                ///
                /// # Safety
                /// See [`Isa::store_shared`](crate::isa::Isa::store_shared).
                $(#[target_feature(enable = $features)])?
                #[inline]
                pub(in super::super::super) unsafe fn store(from: *const u8, to: *mut u8, bytes: usize) -> usize {
                    let mut done = 0;
                    $(while bytes - done >= size_of::<$vector>() {
                        // SAFETY: so many bytes are left, which the caller has for reads and for atomic stores.
                        unsafe {
                            let vector = from.add(done).cast::<$vector>().read_unaligned();
                            asm!(
                                concat!($move, " [{to}], {vector}"),
                                vector = in($class) vector,
                                to = in(reg) to.add(done),
                                options(nostack, preserves_flags),
                            );
                        }
                        done += size_of::<$vector>();
                    })*
                    done
                }
            }
        };
    }

    level! {
        baseline,
        __m128i, xmm_reg, "movdqu";
    }
    level! {
        avx2 "avx2",
        __m256i, ymm_reg, "vmovdqu";
        __m128i, xmm_reg, "vmovdqu";
    }
    level! {
        avx512 "avx512f,avx512vl",
        __m512i, zmm_reg, "vmovdqu64";
        __m256i, ymm_reg, "vmovdqu";
        __m128i, xmm_reg, "vmovdqu";
    }
}
