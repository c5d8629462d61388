//! Axes of drawings: where their marks stand.

/// Round numbers from 0 to an end, at most about so many.
pub(super) fn steps(end: f64, count: f64) -> Vec<f64> {
    if !(end > 0.0 && end.is_finite()) {
        return vec![0.0];
    }
    let raw = end / count;
    let decade = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].iter().map(|k| k * decade).find(|step| *step >= raw).unwrap_or(raw);
    (0..).map(|k| f64::from(k) * step).take_while(|x| *x <= end * (1.0 + 1e-9)).collect()
}

/// An axis on which equal factors are equal distances, from one decade to another.
#[derive(Clone, Copy)]
pub(super) struct Logarithmic {
    low: f64,
    high: f64,
    pixels: (f64, f64),
}

impl Logarithmic {
    /// An axis that shows all values between two pixels, with some room at both ends.
    pub(super) fn around(values: impl Iterator<Item = f64>, pixels: (f64, f64)) -> Logarithmic {
        let logarithms: Vec<f64> = values.filter(|x| *x > 0.0 && x.is_finite()).map(f64::log10).collect();
        let low = logarithms.iter().copied().fold(f64::INFINITY, f64::min);
        let high = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if low > high {
            return Logarithmic { low: 0.0, high: 1.0, pixels };
        }
        Logarithmic { low: (low - 0.3).floor(), high: (high + 0.3).ceil(), pixels }
    }

    /// The pixel of a value.
    pub(super) fn at(&self, value: f64) -> f64 {
        let part = (value.log10() - self.low) / (self.high - self.low);
        self.pixels.0 + part * (self.pixels.1 - self.pixels.0)
    }

    /// The values at both ends.
    pub(super) fn ends(&self) -> (f64, f64) {
        (10f64.powf(self.low), 10f64.powf(self.high))
    }

    /// The powers of 10 on it.
    pub(super) fn decades(&self) -> impl Iterator<Item = f64> + use<> {
        (self.low as i32..=self.high as i32).map(|exponent| 10f64.powi(exponent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round() {
        assert_eq!(steps(10.0, 5.0), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(steps(7.0, 3.0), [0.0, 5.0]);
        assert_eq!(steps(0.0, 5.0), [0.0]);
        assert_eq!(steps(f64::NAN, 5.0), [0.0]);
    }

    #[test]
    fn equal_factors_are_equal_distances() {
        let axis = Logarithmic::around([1.0, 100.0].into_iter(), (0.0, 400.0));
        assert_eq!(axis.ends(), (0.1, 1000.0));
        assert!((axis.at(10.0) - axis.at(1.0) - 100.0).abs() < 1e-9);
        assert_eq!(axis.decades().count(), 5);
        assert!(Logarithmic::around([0.0].into_iter(), (0.0, 1.0)).at(1.0).is_finite());
    }
}
