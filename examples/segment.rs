//! Cuts a photograph into regions of one colour, with the Quasar program `examples/programs/segmentation.q`: k-means in
//! CIE L*a*b*, connected regions, small ones joined to their neighbours, and Otsu's threshold on a histogram.
//!
//! ```sh
//! cargo run --release --example segment                   # a photograph, 8 groups of colours
//! cargo run --release --example segment -- photo.png 12   # yours, 12 groups
//! ```
//!
//! Pictures are written to the folder `out`. The same program runs without Rust:
//! `cargo run --release -p quasar-array-cli -- run examples/programs/segmentation.q photo.png 12 out`.

use std::process::ExitCode;
use std::time::Instant;

mod program {
    quasar::quasar_file!(#![quiet] "programs/segmentation.q");
}

const PHOTOGRAPH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/images/astronaut.png");
/// Regions with fewer pixels join a neighbour.
const SMALLEST: i32 = 64;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let photo = arguments.next().unwrap_or_else(|| PHOTOGRAPH.to_string());
    let groups = arguments.next().map_or(Ok(8), |text| text.parse::<i32>());
    let Some(groups) = groups.ok().filter(|groups| (1..=64).contains(groups)) else {
        eprintln!("usage: segment [PHOTO [GROUPS]], with 1 to 64 groups of colours");
        return ExitCode::FAILURE;
    };
    match run(&photo, groups) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("segment: {text}");
            ExitCode::FAILURE
        }
    }
}

fn run(photo: &str, groups: i32) -> Result<(), Box<dyn std::error::Error>> {
    let image = program::load(photo)?;
    quasar::context::seed(7);
    let start = Instant::now();
    let (_, painted, _) = program::segment(&image, groups, SMALLEST)?;
    let (_, parts, bars) = program::light_and_dark(&image)?;
    println!("{:.0} ms", start.elapsed().as_secs_f64() * 1e3);
    std::fs::create_dir_all("out")?;
    for (name, picture) in [("regions", painted), ("bright", parts), ("histogram", bars)] {
        let file = format!("out/{name}.png");
        program::store(&file, &picture)?;
        println!("{file}");
    }
    Ok(())
}
