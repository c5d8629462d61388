//! Colours, their names, and colour maps.

use crate::{Error, Result};

/// Red, green and blue.
pub type Rgb = [u8; 3];

/// What NaN looks like: a colour that no colour map has.
pub const NAN: Rgb = [255, 0, 255];

/// The colours of curves without a colour of their own, one after the other.
pub const CYCLE: [Rgb; 7] = [
    [0, 114, 189],
    [217, 83, 25],
    [119, 172, 48],
    [126, 47, 142],
    [237, 177, 32],
    [77, 190, 238],
    [162, 20, 47],
];

/// The colours that styles name by a letter.
pub const LETTERS: [(char, Rgb); 8] = [
    ('r', [220, 20, 20]),
    ('g', [20, 140, 20]),
    ('b', [20, 60, 220]),
    ('c', [0, 170, 170]),
    ('m', [190, 0, 190]),
    ('y', [200, 170, 0]),
    ('k', [0, 0, 0]),
    ('w', [255, 255, 255]),
];

/// What makes colours of the numbers from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColourMap {
    /// Its name.
    pub name: &'static str,
    /// Colours at equal distances.
    stops: &'static [Rgb],
}

/// All colour maps; the first is that of images that ask for none.
pub static COLOUR_MAPS: &[ColourMap] = &[
    ColourMap { name: "gray", stops: &[[0, 0, 0], [255, 255, 255]] },
    ColourMap {
        name: "viridis",
        stops: &[
            [68, 1, 84],
            [72, 40, 120],
            [62, 74, 137],
            [49, 104, 142],
            [38, 130, 142],
            [31, 158, 137],
            [53, 183, 121],
            [109, 205, 89],
            [180, 222, 44],
            [253, 231, 37],
        ],
    },
    ColourMap {
        name: "jet",
        stops: &[
            [0, 0, 128],
            [0, 0, 255],
            [0, 128, 255],
            [0, 255, 255],
            [128, 255, 128],
            [255, 255, 0],
            [255, 128, 0],
            [255, 0, 0],
            [128, 0, 0],
        ],
    },
    ColourMap {
        name: "hot",
        stops: &[
            [0, 0, 0],
            [85, 0, 0],
            [170, 0, 0],
            [255, 0, 0],
            [255, 85, 0],
            [255, 170, 0],
            [255, 255, 0],
            [255, 255, 128],
            [255, 255, 255],
        ],
    },
    ColourMap { name: "cool", stops: &[[0, 255, 255], [255, 0, 255]] },
];

impl ColourMap {
    /// The colour map of a name.
    ///
    /// # Errors
    /// For unknown names; the message lists the known ones.
    pub fn named(name: &str) -> Result<ColourMap> {
        let found = COLOUR_MAPS.iter().find(|map| map.name == name.to_lowercase());
        found.copied().ok_or_else(|| {
            let names: Vec<&str> = COLOUR_MAPS.iter().map(|map| map.name).collect();
            Error::Argument(format!("unknown colour map \"{name}\"; there are {}", names.join(", ")))
        })
    }

    /// The gray colour map.
    pub fn gray() -> ColourMap {
        ColourMap { name: "gray", stops: &[[0, 0, 0], [255, 255, 255]] }
    }

    /// The colour of a number: what lies outside of 0 to 1 has the colour of the nearer end.
    pub fn colour(&self, number: f32) -> Rgb {
        if number.is_nan() {
            return NAN;
        }
        let last = self.stops.len().saturating_sub(1);
        let place = number.clamp(0.0, 1.0) * last as f32;
        let below = (place as usize).min(last.saturating_sub(1));
        let part = place - below as f32;
        let (Some(from), Some(to)) = (self.stops.get(below), self.stops.get(below + 1)) else { return NAN };
        let mut mixed = *from;
        for (channel, end) in mixed.iter_mut().zip(to) {
            let (start, end) = (f32::from(*channel), f32::from(*end));
            *channel = (start + (end - start) * part).round() as u8;
        }
        mixed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gray_keeps_all_256_values() {
        for byte in 0..=255_u8 {
            assert_eq!(ColourMap::gray().colour(f32::from(byte) / 255.0), [byte; 3]);
        }
    }

    #[test]
    fn numbers_outside_have_the_colour_of_the_nearer_end() {
        for map in COLOUR_MAPS {
            assert_eq!(map.colour(-3.0), map.colour(0.0), "{}", map.name);
            assert_eq!(map.colour(f32::INFINITY), map.colour(1.0), "{}", map.name);
            assert_eq!(map.colour(f32::NEG_INFINITY), map.colour(0.0), "{}", map.name);
            assert_eq!(map.colour(f32::NAN), NAN);
        }
        assert_eq!(ColourMap::named("JET").unwrap().colour(0.5), [128, 255, 128]);
        let unknown = ColourMap::named("rainbow").unwrap_err().to_string();
        assert_eq!(unknown, "unknown colour map \"rainbow\"; there are gray, viridis, jet, hot, cool");
    }
}
