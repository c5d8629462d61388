//! Powers of many numbers by one exponent: the quick form gives the bits of the general one wherever it says that it
//! covers the numbers, and it covers ordinary ones.

use quasar_devicelib::isa::{Body, Isa, Level, detected, dispatch_on};
use quasar_devicelib::ops::{self, Exponent};

const EXPONENTS: [f32; 19] = [
    0.0,
    -0.0,
    0.45,
    -0.45,
    1.0 / 2.2,
    2.4,
    1.0,
    2.0,
    -3.0,
    1.0e-30,
    17.5,
    -31.0,
    62.5,
    124.9,
    125.1,
    1.0e30,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

/// The power by the quick form, if it covers the number.
fn quick<I: Isa>(exponent: &Exponent, y: f32, x: f32) -> Option<f32> {
    let mut met = 0;
    let power = exponent.power::<I, true>(y, x, &mut met);
    (exponent.serves() && exponent.covers(met)).then_some(power)
}

#[derive(Clone, Copy)]
struct Compare;

impl Body for Compare {
    type Output = ();

    fn run<I: Isa>(self) {
        for y in EXPONENTS {
            let exponent = Exponent::new::<I>(y);
            let mut covered = 0;
            // A step that is no power of two meets all exponents and many mantissas, signs and special values.
            for bits in (0..=u32::MAX).step_by(65_521) {
                let x = f32::from_bits(bits);
                if let Some(power) = quick::<I>(&exponent, y, x) {
                    covered += 1;
                    assert_eq!(power.to_bits(), ops::power::<I, f32>(x, y).to_bits(), "{x:e}^{y}");
                    assert!(x >= 0.0 && (x == 0.0 || x.is_normal() && power.is_normal()), "{x:e}^{y}");
                }
            }
            // Half of the numbers are positive; nearly all of those have ordinary small powers.
            let most = y.abs() < 0.9;
            assert!(!most || covered > 32_000, "{y}: {covered}");
        }
    }
}

#[test]
fn both_forms_give_the_same_bits() {
    for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
        if level <= detected() {
            dispatch_on(level, Compare);
        }
    }
}

struct Edges;

impl Body for Edges {
    type Output = ();

    fn run<I: Isa>(self) {
        let usual = Exponent::new::<I>(0.45);
        for x in [0.0, f32::MIN_POSITIVE, 1.0, 255.0, f32::MAX] {
            assert_eq!(quick::<I>(&usual, 0.45, x), Some(ops::power::<I, f32>(x, 0.45)), "{x:e}");
        }
        for x in [-0.0, -1.0, 1.0e-40, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -f32::NAN] {
            assert_eq!(quick::<I>(&usual, 0.45, x), None, "{x:e}");
        }
        let inverse = Exponent::new::<I>(-2.0);
        assert_eq!(quick::<I>(&inverse, -2.0, 0.0), Some(f32::INFINITY));
        assert_eq!(quick::<I>(&inverse, -2.0, 4.0), Some(0.0625));
        assert_eq!(quick::<I>(&Exponent::new::<I>(0.0), 0.0, 0.0), Some(1.0));
        // 2^127 and 2^-127 are beyond what is called ordinary; larger exponents leave nothing.
        let large = Exponent::new::<I>(100.0);
        assert_eq!((quick::<I>(&large, 100.0, 2.5), quick::<I>(&large, 100.0, 0.4)), (None, None));
        assert!(quick::<I>(&large, 100.0, 1.5).is_some());
        assert!(![126.0, f32::INFINITY, f32::NAN].iter().any(|y| Exponent::new::<I>(*y).serves()));
    }
}

#[test]
fn only_ordinary_numbers_are_covered() {
    for level in [Level::Baseline, Level::Avx512] {
        dispatch_on(level, Edges);
    }
}
