//! Smooths a picture: `cargo run --release -- in.png out.png`

fn main() -> quasar::Result<()> {
    let mut names = std::env::args().skip(1);
    let (Some(from), Some(to)) = (names.next(), names.next()) else {
        eprintln!("usage: NAME in.png out.png");
        return Ok(());
    };
    let image = NAME::load(&from)?;
    NAME::store(&to, &NAME::smooth(&image, 3)?)?;
    println!("{to}: {:?} pixels", image.dims());
    Ok(())
}
