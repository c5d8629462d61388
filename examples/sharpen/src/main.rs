//! Sharpens `photo.png` and writes `crisp.png`.

use sharpen::{load, sharpen, store};

fn main() -> quasar::Result<()> {
    let photo = load("photo.png")?;
    let start = std::time::Instant::now();
    let crisp = sharpen(&photo, 1.5)?;
    println!("{:?} in {:?}", crisp.dims(), start.elapsed());
    store("crisp.png", &crisp)
}
