//! The programs of `examples/programs` on pictures whose answers are known.

use quasar::Array;

mod network {
    quasar::quasar_file!(#![quiet] "examples/programs/network.q");
}

mod network_in_double_precision {
    quasar::quasar_file!(#![quiet] #![double] "examples/programs/network.q");
}

mod segmentation {
    quasar::quasar_file!(#![quiet] "examples/programs/segmentation.q");
}

mod wavelets {
    quasar::quasar_file!(#![quiet] "examples/programs/wavelets.q");
}

/// A picture from a colour for each place.
fn picture(height: usize, width: usize, colour: impl Fn(usize, usize) -> [f32; 3]) -> Array<f32> {
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (y, x)));
    let values: Vec<f32> = pixels.flat_map(|(y, x)| colour(y, x)).collect();
    Array::from_vec(&[height, width, 3], values).expect("three values for each pixel")
}

const RED: [f32; 3] = [200.0, 30.0, 30.0];
const GREEN: [f32; 3] = [30.0, 160.0, 40.0];
const BLUE: [f32; 3] = [20.0, 40.0, 180.0];

/// Two halves, a square in the left one, and a speck in the right one.
fn halves(y: usize, x: usize) -> [f32; 3] {
    match (y, x) {
        (20..22, 28..30) => GREEN,
        (_, 20..) => BLUE,
        (6..16, 6..16) => GREEN,
        _ => RED,
    }
}

#[test]
fn areas_of_one_colour_become_regions() -> quasar::Result<()> {
    quasar::context::seed(1);
    let (regions, painted, groups) = segmentation::segment(&picture(32, 40, halves), 3, 16)?;
    assert_eq!(groups, 3);
    let region = |y: usize, x: usize| regions.get(&[y as i64, x as i64]);
    let (red, green, blue) = (region(0, 0)?, region(8, 8)?, region(0, 39)?);
    assert!(red != green && green != blue && blue != red);
    for (y, x) in (0..32).flat_map(|y| (0..40).map(move |x| (y, x))) {
        let expected = match halves(y, x) {
            // The speck has fewer than 16 pixels.
            _ if x >= 20 => blue,
            GREEN => green,
            _ => red,
        };
        assert_eq!(region(y, x)?, expected, "{y},{x}");
    }
    // A pixel inside a region has its mean colour, one at its border is white.
    for (c, value) in RED.into_iter().enumerate() {
        assert!((painted.get(&[2, 2, c as i64])? - value).abs() < 1.0);
    }
    assert_eq!(painted.get(&[8, 19, 0])?, 255.0);
    Ok(())
}

#[test]
fn light_and_dark_parts_are_told_apart() -> quasar::Result<()> {
    let image = picture(16, 16, |_, x| [if x < 5 { 40.0 } else { 210.0 }; 3]);
    let (_, parts, bars) = segmentation::light_and_dark(&image)?;
    assert_eq!([parts.get(&[3, 2, 0])?, parts.get(&[3, 9, 0])?], [10.0, 210.0]);
    assert_eq!(bars.dims(), [100, 256, 3]);
    Ok(())
}

#[test]
fn wavelets_find_the_noise_and_remove_it() -> quasar::Result<()> {
    let smooth = picture(64, 48, |y, x| [2.0 * y as f32, 128.0, 3.0 * x as f32]);
    let noisy = wavelets::with_noise(&smooth, 10.0)?;
    let (clean, sigma) = wavelets::denoise(&noisy, "db2", 3, 1)?;
    assert!((8.0..12.0).contains(&sigma), "{sigma}");
    let (before, after) = (wavelets::psnr(&noisy, &smooth)?, wavelets::psnr(&clean, &smooth)?);
    assert!(after > before + 5.0, "{before} dB before, {after} dB after");
    Ok(())
}

#[test]
fn what_is_split_is_put_together_again() -> quasar::Result<()> {
    // Odd sizes, and so little noise that nothing is below a threshold.
    let image = picture(37, 29, |y, x| [(y * x % 97) as f32, (y * 7 % 31) as f32, (x * x % 53) as f32]);
    let (same, sigma) = wavelets::denoise(&picture(32, 32, |_, _| [7.0; 3]), "haar", 2, 1)?;
    assert!(sigma.abs() < 1e-3 && (same.get(&[5, 5, 1])? - 7.0).abs() < 1e-3);
    let gray = wavelets::lightness(&image)?;
    let bands = wavelets::bands(&gray, "db4", 1)?;
    assert_eq!(bands.dims(), [38, 30]);
    Ok(())
}

#[test]
fn unknown_filters_are_refused() {
    let error = wavelets::denoise(&picture(16, 16, |_, _| [0.0; 3]), "db3", 2, 1).unwrap_err();
    assert!(error.to_string().contains("no filters are called 'db3'"), "{error}");
}

#[test]
fn slopes_of_networks_are_those_of_differences() -> quasar::Result<()> {
    // Without activations, ReLU, GELU, and its fast variant.
    for kind in 0..4 {
        let error = network_in_double_precision::slope_error(kind, 1e-5)?;
        assert!(error < 1e-4, "activation {kind}: {error}");
    }
    Ok(())
}

#[test]
fn both_ways_to_slopes_of_weights_agree() -> quasar::Result<()> {
    let numbers = |dims: &[usize]| {
        let values = (0..dims.iter().product::<usize>()).map(|k| ((k * k) % 23) as f32 - 11.0).collect();
        Array::from_vec(dims, values)
    };
    let (x, dz, w) = (numbers(&[3, 8, 20])?, numbers(&[5, 8, 20])?, numbers(&[5, 3, 3, 3])?);
    let (a, b) = (network::slopes_by_loops(&x, &dz, &w)?, network::slopes_by_products(&x, &dz, &w)?);
    assert_eq!(a.dims(), [5, 3, 3, 3]);
    assert_eq!(a.to_vec(), b.to_vec());
    Ok(())
}

#[test]
fn networks_learn_and_are_kept_as_numbers() -> quasar::Result<()> {
    quasar::context::seed(2);
    let image = picture(24, 24, |y, x| [6.0 * y as f32, 128.0, 5.0 * x as f32]);
    let (numbers, losses) = network::train(&image, 25.0, 12)?;
    let losses = losses.to_vec();
    assert!(losses[11] < 0.8 * losses[0], "{losses:?}");
    let noisy = network::with_noise(&image, 25.0)?;
    let change = |numbers: &Array<f32>| -> quasar::Result<f32> {
        let clean = network::denoise(&noisy, numbers)?.to_vec();
        let limited = noisy.to_vec().into_iter().map(|v| v.clamp(0.0, 255.0));
        Ok(clean.iter().zip(limited).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max))
    };
    assert!(change(&numbers)? > 1.0, "what was learned changes the picture");
    // Three layers of 3, 16, 16 and 3 channels without weights take nothing for noise.
    let mut nothing = vec![0.0; numbers.to_vec().len()];
    nothing[..5].copy_from_slice(&[3.0, 3.0, 16.0, 16.0, 3.0]);
    assert!(change(&Array::from_vec(&[nothing.len()], nothing)?)? < 1e-3);
    Ok(())
}
