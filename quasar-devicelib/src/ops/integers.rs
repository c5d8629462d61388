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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Baseline;

    #[test]
    fn quotients_are_those_of_floats() {
        let near = |x: i64| (x - 3..=x + 3).map(|x| x.clamp(i32::MIN.into(), i32::MAX.into()) as i32);
        let numbers: Vec<i32> = (0..32)
            .flat_map(|bit| [1 << bit, -(1 << bit)])
            .chain([0, 16_777_213, -50_331_651])
            .flat_map(near)
            .collect();
        for &a in &numbers {
            for b in [2, 3, 4, 7, 1000, 8_388_607, 16_777_217, -2, -3, -1000] {
                let (single, double) = (a as f32 / b as f32, f64::from(a) / f64::from(b));
                assert_eq!(quotient::<Baseline, i32>(a, b), double as i32, "{a}/{b}");
                assert_eq!(quotient_single::<Baseline, i32>(a, b), single as i32, "{a}/{b}");
                assert_eq!(floor_quotient::<Baseline, i32>(a, b), double.floor() as i32, "{a}/{b}");
                assert_eq!(floor_quotient_single::<Baseline, i32>(a, b), single.floor() as i32, "{a}/{b}");
            }
        }
        assert_eq!(
            [floor_quotient::<Baseline, i32>(7, 0), floor_quotient::<Baseline, i32>(i32::MIN, -1)],
            [0, i32::MIN]
        );
    }
}
