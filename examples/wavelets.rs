//! Removes noise from a photograph by wavelets, with the Quasar program `examples/programs/wavelets.q`: orthogonal wavelets,
//! the noise found in the picture, a threshold for each band, averages over moves.
//!
//! ```sh
//! cargo run --release --example wavelets                         # a photograph with noise added
//! cargo run --release --example wavelets -- photo.png clean.png  # yours, as it is
//! ```
//!
//! The same program runs without Rust:
//! `cargo run --release -p quasar-array-cli -- run examples/programs/wavelets.q photo.png 20 out`.

use std::process::ExitCode;
use std::time::Instant;

mod program {
    quasar::quasar_file!(#![quiet] "programs/wavelets.q");
}

const PHOTOGRAPH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/images/astronaut.png");
/// The standard deviation of the noise that is added; pixels are 0 to 255.
const NOISE: f32 = 20.0;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.as_slice() {
        [] => demonstrate(),
        [photo, clean] => denoise(photo, clean),
        _ => Err("usage: wavelets [PHOTO CLEAN]".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("wavelets: {text}");
            ExitCode::FAILURE
        }
    }
}

fn demonstrate() -> Result<(), Box<dyn std::error::Error>> {
    std::fs::create_dir_all("out")?;
    let image = program::load(PHOTOGRAPH)?;
    let noisy = program::with_noise(&image, NOISE)?;
    program::store("out/noisy.png", &noisy)?;
    println!("noisy: {:.2} dB   out/noisy.png", program::psnr(&noisy, &image)?);
    let start = Instant::now();
    let (clean, _) = program::denoise(&noisy, "db4", 4, 3)?;
    let time = start.elapsed().as_secs_f64() * 1e3;
    program::store("out/wavelets.png", &clean)?;
    println!("clean: {:.2} dB, {time:.0} ms   out/wavelets.png", program::psnr(&clean, &image)?);
    let gray = program::lightness(&image)?;
    let bands = program::bands(&gray, "db2", 3)?;
    program::store(
        "out/bands.png",
        &quasar::Array::from_vec(&[bands.extent(0), bands.extent(1), 1], bands.to_vec())?,
    )?;
    println!("details of three sizes   out/bands.png");
    Ok(())
}

fn denoise(photo: &str, clean: &str) -> Result<(), Box<dyn std::error::Error>> {
    let image = program::load(photo)?;
    let (result, sigma) = program::denoise(&image, "db4", 4, 3)?;
    program::store(clean, &result)?;
    println!("noise {sigma:.1}   {clean}");
    Ok(())
}
