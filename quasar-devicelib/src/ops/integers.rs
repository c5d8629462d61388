//! Scalar functions: bitwise operations and quotients of integers.

use super::Integer;
use crate::isa::Isa;

/// Bitwise and.
#[inline(always)]
pub fn and<I: Isa, T: Integer>(a: T, b: T) -> T {
    a.and(b)
}

/// Bitwise or.
#[inline(always)]
pub fn or<I: Isa, T: Integer>(a: T, b: T) -> T {
    a.or(b)
}

/// Bitwise exclusive or.
#[inline(always)]
pub fn xor<I: Isa, T: Integer>(a: T, b: T) -> T {
    a.xor(b)
}

/// Bitwise complement.
#[inline(always)]
pub fn not<I: Isa, T: Integer>(x: T) -> T {
    x.not()
}

/// The quotient without its fraction; 0 where the divisor is 0.
#[inline(always)]
pub fn quotient<I: Isa, T: Integer>(a: T, b: T) -> T {
    a.quotient(b)
}

/// The quotient in single precision without its fraction: for large numbers that is not the exact one.
#[inline(always)]
pub fn quotient_single<I: Isa, T: Integer>(a: T, b: T) -> T {
    a.quotient_single(b)
}

/// The largest integer that is not above the quotient; 0 where the divisor is 0.
#[inline(always)]
pub fn floor_quotient<I: Isa, T: Integer>(a: T, b: T) -> T {
    a.floor_quotient(b)
}

/// The same of the quotient in single precision: for large numbers that is not the exact one.
#[inline(always)]
pub fn floor_quotient_single<I: Isa, T: Integer>(a: T, b: T) -> T {
    a.floor_quotient_single(b)
}

/// Shift to the left; to the right by a negative amount. Bits shifted out are lost, whatever the amount.
#[inline(always)]
pub fn shl<I: Isa, T: Integer>(x: T, amount: T) -> T {
    x.shl(amount)
}

/// Shift to the right, arithmetic for signed types; to the left by a negative amount.
#[inline(always)]
pub fn shr<I: Isa, T: Integer>(x: T, amount: T) -> T {
    x.shr(amount)
}
