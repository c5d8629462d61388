//! How sure a difference between two lists of times is: the ratio of their times with a confidence interval.
//!
//! The ratio is the median of the ratios of all pairs (Hodges and Lehmann, on logarithms), and its interval is that of the test of
//! Mann, Whitney and Wilcoxon: neither asks how times are distributed, and single slow calls move neither. Calls that follow each
//! other are alike, because what else the machine does lasts longer than a call; so of long lists the medians of stretches are
//! compared, which depend less on each other.

/// Longer lists become so many stretches.
const STRETCHES: usize = 32;

/// How much shorter the later times are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    /// Before divided by now.
    pub(super) estimate: f64,
    /// Its lowest and highest value; none where there are too few calls.
    pub(super) interval: Option<(f64, f64)>,
}

impl Ratio {
    /// The ratio of two lists of times, with an interval that misses the true ratio with this probability; nothing where a
    /// list is empty.
    pub(super) fn of(before: &[u64], now: &[u64], error: f64) -> Option<Ratio> {
        let (before, now) = (stretches(before), stretches(now));
        let pairs = before.iter().flat_map(|b| now.iter().map(move |n| b - n));
        let mut pairs: Vec<f64> = pairs.collect();
        pairs.sort_by(f64::total_cmp);
        let estimate = median_of_sorted(&pairs)?.exp();
        let (n, m) = (before.len() as f64, now.len() as f64);
        // Of so many pairs at either end the interval is without.
        let outside =
            n * m / 2.0 - normal_quantile(1.0 - error / 2.0) * (n * m * (n + m + 1.0) / 12.0).sqrt();
        let interval = (outside >= 1.0).then_some(outside as usize).and_then(|outside| {
            Some((pairs.get(outside - 1)?.exp(), pairs.get(pairs.len().checked_sub(outside)?)?.exp()))
        });
        Some(Ratio { estimate, interval })
    }

    /// Whether the times differ: the interval is without 1.
    pub(super) fn is_sure(&self) -> bool {
        self.interval.is_some_and(|(low, high)| low > 1.0 || high < 1.0)
    }
}

/// Logarithms of times, or of the medians of stretches of them.
fn stretches(times: &[u64]) -> Vec<f64> {
    // A time below what the clock tells is not 0.
    let logarithm = |time: f64| time.max(0.5).ln();
    if times.len() < 2 * STRETCHES {
        return times.iter().map(|time| logarithm(*time as f64)).collect();
    }
    let bound = |k: usize| k * times.len() / STRETCHES;
    (0..STRETCHES).filter_map(|k| times.get(bound(k)..bound(k + 1)).and_then(median)).map(logarithm).collect()
}

/// The time in the middle, or the mean of the two there.
pub(super) fn median(times: &[u64]) -> Option<f64> {
    let mut sorted: Vec<f64> = times.iter().map(|time| *time as f64).collect();
    sorted.sort_by(f64::total_cmp);
    median_of_sorted(&sorted)
}

fn median_of_sorted(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    match sorted.len() % 2 {
        1 => sorted.get(middle).copied(),
        _ => Some((sorted.get(middle.checked_sub(1)?)? + sorted.get(middle)?) / 2.0),
    }
}

/// What a normally distributed number is below with this probability of more than a half (Abramowitz and Stegun, 26.2.23; to 5e-4).
fn normal_quantile(probability: f64) -> f64 {
    let t = (-2.0 * (1.0 - probability).max(f64::MIN_POSITIVE).ln()).sqrt();
    let (above, below) =
        (2.515517 + t * (0.802853 + t * 0.010328), 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    t - above / below
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers from 0 to 1 (splitmix64).
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64
        }

        /// Times around a length: mostly close to it, a few far longer, and next to each other alike.
        fn times(&mut self, count: usize, length: f64) -> Vec<u64> {
            let mut drift = 0.0;
            let mut of = || {
                drift = 0.5 * drift + 0.02 * (self.next() - 0.5);
                let slow = if self.next() < 0.03 { 10.0 * self.next() } else { 0.0 };
                (length * (1.0 + 0.1 * self.next() + drift + slow)) as u64
            };
            (0..count).map(|_| of()).collect()
        }
    }

    #[test]
    fn quantiles_are_those_of_tables() {
        for (probability, expected) in
            [(0.975, 1.95996), (0.995, 2.57583), (0.9, 1.28155), (0.99999, 4.26489)]
        {
            assert!((normal_quantile(probability) - expected).abs() < 5e-4, "{probability}");
        }
    }

    #[test]
    fn intervals_miss_as_often_as_they_may() {
        let mut random = Random(7);
        for count in [8, 40, 250] {
            for ratio in [1.0, 1.03, 0.5] {
                let missed = (0..1000).filter(|_| {
                    let (before, now) = (random.times(count, 1e5 * ratio), random.times(count, 1e5));
                    let (low, high) = Ratio::of(&before, &now, 0.05).unwrap().interval.unwrap();
                    !(low <= ratio && ratio <= high)
                });
                let missed = missed.count();
                assert!((10..=90).contains(&missed), "{missed} of 1000 for {count} calls and {ratio}");
            }
        }
    }

    #[test]
    fn differences_beyond_the_noise_are_found() {
        let mut random = Random(3);
        let found = (0..200).filter(|_| {
            let (before, now) = (random.times(100, 1.1e5), random.times(100, 1e5));
            Ratio::of(&before, &now, 0.05).unwrap().is_sure()
        });
        assert_eq!(found.count(), 200);
    }

    #[test]
    fn few_calls_say_nothing() {
        let of = |before: &[u64], now: &[u64]| Ratio::of(before, now, 0.05);
        assert_eq!(of(&[], &[5]), None);
        let one = of(&[10], &[5]).unwrap();
        assert!((one.estimate - 2.0).abs() < 1e-12 && one.interval.is_none());
        assert_eq!(of(&[10; 3], &[5; 3]).unwrap().interval, None);
        assert!(of(&[10, 11, 12, 13], &[5, 4, 5, 4]).unwrap().is_sure());
        let same = of(&[7; 9], &[7; 9]).unwrap();
        assert!(same.estimate == 1.0 && !same.is_sure());
        assert!(of(&[0; 9], &[0; 9]).unwrap().estimate == 1.0, "times below a tick");
        assert_eq!(median(&[3, 1, 2]), Some(2.0));
        assert_eq!(median(&[4, 1, 2, 3]), Some(2.5));
    }
}
