//! Teaches a small convolutional network to remove noise from photographs, with the Quasar program
//! `examples/programs/network.q`: convolutions forward and backward, derivatives by rewrite rules, Adam.
//!
//! ```sh
//! cargo run --release --example network                        # learns from a part of a photograph, tries it on the rest
//! cargo run --release --example network -- photo.png 15 2000   # yours, less noise, more rounds
//! ```
//!
//! Pictures are written to the folder `out`. The same program runs without Rust:
//! `cargo run --release -p quasar-array-cli -- run --engine cpu examples/programs/network.q photo.png 25 out`.

use quasar::Array;
use std::process::ExitCode;
use std::time::Instant;

mod program {
    quasar::quasar_file!(#![quiet] "programs/network.q");
}

const PHOTOGRAPH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/images/astronaut.png");

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |position: usize, default: f32| match arguments.get(position) {
        Some(text) => text.parse::<f32>().ok().filter(|number| *number > 0.0),
        None => Some(default),
    };
    let photo = arguments.first().map_or(PHOTOGRAPH, String::as_str);
    let (Some(noise), Some(rounds), 0..=3) = (number(1, 25.0), number(2, 600.0), arguments.len()) else {
        eprintln!("usage: network [PHOTO [NOISE [ROUNDS]]]");
        return ExitCode::FAILURE;
    };
    match run(photo, noise, rounds as i32) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("network: {text}");
            ExitCode::FAILURE
        }
    }
}

fn run(photo: &str, noise: f32, rounds: i32) -> Result<(), Box<dyn std::error::Error>> {
    let image = program::load(photo)?;
    let (known, unknown) = program::parts(&image)?;
    quasar::context::seed(11);
    let start = Instant::now();
    let (network, losses) = program::train(&known, noise, rounds)?;
    println!("learned in {:.1} s", start.elapsed().as_secs_f64());

    let noisy = program::with_noise(&image, noise)?;
    let start = Instant::now();
    let clean = program::denoise(&noisy, &network)?;
    println!("denoised in {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
    let (_, noisy_unknown) = program::parts(&noisy)?;
    let (_, clean_unknown) = program::parts(&clean)?;
    let smooth = program::smoothed(&noisy_unknown, &unknown)?;
    println!("in the part of the photograph that the network did not see:");
    for (name, picture) in [("noisy", &noisy_unknown), ("Gaussian", &smooth), ("network", &clean_unknown)] {
        println!("  {name:8} {:.2} dB", program::psnr(picture, &unknown)?);
    }

    std::fs::create_dir_all("out")?;
    let pictures: [(&str, Array<f32>); 4] = [
        ("network", program::beside(&noisy, &clean)?),
        ("unknown", program::beside(&smooth, &clean_unknown)?),
        ("filters", program::draw_filters(&network, 8)?),
        ("losses", program::draw_losses(&losses, 100, 400)?),
    ];
    for (name, picture) in pictures {
        let file = format!("out/{name}.png");
        program::store(&file, &picture)?;
        println!("{file}");
    }
    Ok(())
}
