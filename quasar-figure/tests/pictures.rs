//! What pictures show: pixels of PNG files, shapes of SVG files, characters of terminals. `QUASAR_PICTURES=FOLDER` writes some to
//! look at; `QUASAR_PICTURES=docs/images` makes those of the book (from the root: give the whole path).

use quasar_figure::colour::{self, ColourMap};
use quasar_figure::display::{Display, Format, Output};
use quasar_figure::model::{Axes, Figure, Layer, Picture, Range, Style};
use quasar_figure::raster::{self, Raster};
use quasar_figure::terminal::{self, Extent, Protocol};
use quasar_figure::{Session, vector};
use std::path::PathBuf;

fn gray(height: usize, width: usize, numbers: &[f64]) -> Picture {
    Picture::new([height, width, 1], numbers, Range::Given(0.0, 255.0)).unwrap()
}

fn figure(axes: Axes) -> Figure {
    Figure { axes: [(0, axes)].into(), ..Figure::default() }
}

fn image(picture: Picture) -> Axes {
    Axes { layers: vec![Layer::Image(picture)], ..Axes::default() }
}

fn curve(points: &[(f64, f64)], style: &str) -> Layer {
    Layer::Curve { points: points.to_vec(), style: Style::parse(style).unwrap() }
}

fn rendered(figure: &Figure) -> Raster {
    let png = raster::render(figure).unwrap().png().unwrap();
    raster::decode(&png).unwrap()
}

/// How many pixels have a colour.
fn count(raster: &Raster, colour: [u8; 3]) -> usize {
    (0..raster.height).map(|y| (0..raster.width).filter(|&x| raster.opaque(x, y) == colour).count()).sum()
}

#[test]
fn an_image_alone_is_its_pixels() {
    let numbers: Vec<f64> = (0..256 * 130).map(|i| f64::from(i % 256)).collect();
    let shown = rendered(&figure(image(gray(130, 256, &numbers))));
    assert_eq!((shown.width, shown.height, shown.channels), (256, 130, 3));
    for (pixel, number) in shown.data.chunks(3).zip(&numbers) {
        assert_eq!(pixel, [*number as u8; 3]);
    }
}

#[test]
fn small_images_are_enlarged_by_a_whole_number() {
    let shown = rendered(&figure(image(gray(2, 3, &[0.0, 50.0, 100.0, 150.0, 200.0, 255.0]))));
    assert_eq!((shown.width, shown.height), (129, 86));
    for (x, y, byte) in [(0, 0, 0), (42, 42, 0), (43, 0, 50), (128, 0, 100), (0, 43, 150), (128, 85, 255)] {
        assert_eq!(shown.opaque(x, y), [byte; 3], "{x}, {y}");
    }
    let one = rendered(&figure(image(gray(1, 1, &[77.0]))));
    assert_eq!((one.width, one.height, count(&one, [77; 3])), (128, 128, 128 * 128));
    let long = rendered(&figure(image(gray(1, 500, &[9.0; 500]))));
    assert_eq!((long.width, long.height), (500, 1));
}

#[test]
fn nan_has_its_colour_and_numbers_outside_that_of_the_ends() {
    let picture = gray(1, 5, &[f64::NAN, -7.0, 300.0, f64::INFINITY, f64::NEG_INFINITY]);
    assert_eq!(picture.loss().unwrap(), "1 NaN (magenta), 4 outside of 0 to 255");
    let pixels = picture.pixels(&ColourMap::gray());
    let all: Vec<[u8; 3]> = (0..5).map(|x| pixels.opaque(x, 0)).collect();
    assert_eq!(all, [colour::NAN, [0; 3], [255; 3], [255; 3], [0; 3]]);
    let rgb =
        Picture::new([1, 2, 3], &[1.0, f64::NAN, 3.0, 1.0, 2.0, 3.0], Range::Given(0.0, 255.0)).unwrap();
    assert_eq!(rgb.pixels(&ColourMap::gray()).data, [255, 0, 255, 1, 2, 3]);
    assert_eq!(gray(1, 1, &[3.0]).loss(), None);
}

#[test]
fn ranges_are_found_among_finite_numbers() {
    let found = |numbers: &[f64]| Picture::new([1, numbers.len(), 1], numbers, Range::Found).unwrap().range;
    assert_eq!(found(&[2.0, f64::NAN, 6.0, f64::INFINITY]), (2.0, 6.0));
    assert_eq!(found(&[4.0, 4.0]), (4.0, 8.0));
    assert_eq!(found(&[f64::NAN]), (0.0, 1.0));
    assert_eq!(found(&[-1e300, 1e300]), (-1e300, 1e300));
}

#[test]
fn transparent_images_stay_transparent() {
    let numbers: Vec<f64> = (0..130).flat_map(|_| [10.0, 20.0, 30.0, 128.0]).collect();
    let rgba = Picture::new([1, 130, 4], &numbers, Range::Given(0.0, 255.0)).unwrap();
    let shown = rendered(&figure(image(rgba.clone())));
    assert_eq!((shown.channels, shown.pixel(0, 0)), (4, &[10, 20, 30, 128][..]));
    let titled = rendered(&figure(Axes { title: "t".into(), ..image(rgba) }));
    assert_eq!(titled.channels, 3);
    assert!(count(&titled, [132, 137, 142]) >= 130);
}

#[test]
fn impossible_images_are_errors() {
    let range = Range::Given(0.0, 1.0);
    let error = |dims: [usize; 3], numbers: &[f64], range| {
        Picture::new(dims, numbers, range).unwrap_err().to_string()
    };
    assert_eq!(error([0, 5, 1], &[], range), "the image is empty (0x5)");
    assert!(error([1, 1, 2], &[0.0; 2], range).starts_with("an image has 1 channel"));
    assert!(error([1, 1, 1], &[0.0], Range::Given(2.0, 1.0)).contains("low < high, found [2, 1]"));
    assert!(error([1, 1, 1], &[0.0], Range::Given(f64::NAN, 1.0)).contains("low < high"));
    assert!(Style::parse("r-.").unwrap_err().to_string().starts_with("\"r-.\" is no style"));
    assert!(Style::parse("rb").is_err() && Style::parse("é").is_err() && Style::parse("").is_ok());
}

/// A figure with everything.
fn chart() -> Figure {
    let wave = |phase: f64| -> Vec<(f64, f64)> {
        (0..=60).map(|i| (f64::from(i) / 10.0, (f64::from(i) / 10.0 + phase).sin())).collect()
    };
    figure(Axes {
        layers: vec![curve(&wave(0.0), "r"), curve(&wave(1.0), "b--"), curve(&wave(2.0)[..20], "ko")],
        title: "Waves".into(),
        xlabel: "time [s]".into(),
        ylabel: "height".into(),
        legend: ["first", "second", "third"].map(String::from).into(),
        ..Axes::default()
    })
}

fn held() -> Figure {
    let numbers: Vec<f64> = (0..64 * 64).map(|i| f64::from(i % 64)).collect();
    let picture = Picture::new([64, 64, 1], &numbers, Range::Found).unwrap();
    figure(Axes {
        layers: vec![Layer::Image(picture), curve(&[(0.5, 0.5), (63.5, 63.5)], "r")],
        title: "Ramp".into(),
        colour_map: ColourMap::named("viridis").unwrap(),
        colour_bar: true,
        ..Axes::default()
    })
}

fn grid() -> Figure {
    let bars = Layer::Bars { points: vec![(0.0, 3.0), (1.0, -1.0), (2.0, 5.0)], beside: (0, 1) };
    let axes = |layers| Axes { layers, title: "part".into(), ..Axes::default() };
    let all = [axes(vec![bars]), chart().axes[&0].clone(), held().axes[&0].clone()];
    Figure { grid: (2, 2), axes: (0..).zip(all).collect() }
}

#[test]
fn bars_of_several_series_stand_side_by_side() {
    let series =
        |height: f64, which| Layer::Bars { points: vec![(0.0, height), (1.0, height)], beside: (which, 2) };
    let both = rendered(&figure(Axes { layers: vec![series(1.0, 0), series(3.0, 1)], ..Axes::default() }));
    let alone = rendered(&figure(Axes { layers: vec![series(3.0, 0)], ..Axes::default() }));
    let colours = [[0, 114, 189], [217, 83, 25]].map(|colour| count(&both, colour));
    assert!(colours[0] > 1000 && colours[1] > 2 * colours[0], "{colours:?}");
    assert!(count(&alone, [0, 114, 189]) > 1000);
}

#[test]
fn dark_images_say_why() {
    let picture =
        |numbers: &[f64]| Picture::new([2, 1, 1], numbers, Range::Given(0.0, 255.0)).unwrap().loss();
    assert_eq!(
        picture(&[0.5, 1.0]).as_deref(),
        Some("all values lie between 0 and 1, which is black: `imshow(x, [0,1])`")
    );
    assert_eq!(picture(&[0.0, 1.0]), None);
    assert_eq!(picture(&[0.5, 2.0]), None);
}

#[test]
fn charts_show_their_curves_and_texts() {
    let shown = rendered(&chart());
    assert_eq!((shown.width, shown.height), (800, 600));
    let (red, blue) = (count(&shown, [220, 20, 20]), count(&shown, [20, 60, 220]));
    assert!(red > 1000 && blue > 500 && blue < red, "{red} {blue}");
    assert_ne!(shown, rendered(&figure(Axes { title: String::new(), ..chart().axes[&0].clone() })));
    // NaN interrupts a line, and points that no line reaches are dots.
    let broken = figure(Axes {
        layers: vec![curve(&[(0.0, 0.0), (1.0, f64::NAN), (2.0, 1.0)], "r")],
        ..Axes::default()
    });
    let dots = count(&rendered(&broken), [220, 20, 20]);
    assert!((10..100).contains(&dots), "{dots}");
    assert_eq!(broken.loss().as_deref(), Some("1 point is not finite"));
    let empty = figure(Axes { layers: vec![curve(&[], "r")], ..Axes::default() });
    assert_eq!(count(&rendered(&empty), [220, 20, 20]), 0);
    for extreme in
        [[(0.0, 1e308), (1.0, -1e308)], [(5.0, 5.0), (5.0, 5.0)], [(1e-300, 0.0), (2e-300, 1e-320)]]
    {
        rendered(&figure(Axes { layers: vec![curve(&extreme, "k.-")], ..Axes::default() }));
    }
}

#[test]
fn what_lies_outside_of_the_axes_is_not_drawn() {
    let bars = Layer::Bars { points: vec![(0.5, 9.0), (7.0, 9.0)], beside: (0, 1) };
    let with = |layers| figure(Axes { layers, limits: Some([0.0, 1.0, 0.0, 1.0]), ..Axes::default() });
    let red = |figure: &Figure| count(&rendered(figure), [220, 20, 20]);
    for style in ["r", "r--", "ro", "r.-"] {
        let outside = with(vec![curve(&[(0.0, 5.0), (1.0, 6.0), (3.0, 0.5)], style)]);
        assert_eq!(red(&outside), 0, "{style}");
    }
    // Two columns wide and as high as the axes; only the first bar stands in them.
    let crossing = red(&with(vec![curve(&[(0.5, -100.0), (0.5, 100.0)], "r")]));
    assert!((800..1800).contains(&crossing), "{crossing}");
    let shown = rendered(&with(vec![bars]));
    let right = (780..shown.width).map(|x| shown.opaque(x, 300));
    assert!(right.into_iter().all(|colour| colour == [255; 3]));
    let over = figure(Axes {
        layers: vec![Layer::Image(gray(64, 64, &[9.0; 64 * 64])), curve(&[(-9.0, 70.0), (90.0, 70.0)], "r")],
        ..Axes::default()
    });
    assert_eq!(red(&over), 0);
}

#[test]
fn images_in_charts_lie_below_curves() {
    let shown = rendered(&held());
    let viridis = ColourMap::named("viridis").unwrap();
    assert!(count(&shown, viridis.colour(0.0)) > 200 && count(&shown, viridis.colour(1.0)) > 200);
    assert!(count(&shown, [220, 20, 20]) > 200);
    if let Ok(folder) = std::env::var("QUASAR_PICTURES") {
        for (name, figure) in [("chart", chart()), ("held", held()), ("grid", grid())] {
            let file = |ending: &str| PathBuf::from(&folder).join(format!("figure-{name}.{ending}"));
            std::fs::write(file("png"), raster::render(&figure).unwrap().png().unwrap()).unwrap();
        }
    }
}

#[test]
fn svg_files_hold_shapes_texts_and_images() {
    let text = vector::svg(&chart()).unwrap();
    for part in ["<svg ", "<polyline", "Waves", "time [s]", "second", "</svg>"] {
        assert!(text.contains(part), "{part}");
    }
    let text = vector::svg(&held()).unwrap();
    assert_eq!(text.matches("<image").count(), 2);
    assert!(text.find("<image").unwrap() < text.find("<polyline").unwrap());
    let alone = vector::svg(&figure(image(gray(1, 1, &[0.0])))).unwrap();
    assert!(alone.contains("width=\"128\"") && alone.trim_end().ends_with("</svg>"));
    let hostile = figure(Axes { title: "<b>&\"".into(), ..chart().axes[&0].clone() });
    assert!(vector::svg(&hostile).unwrap().contains("&lt;b&gt;&amp;"));
    let page = vector::page(&[("a<b".into(), alone)]);
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.contains("a&lt;b") && page.contains("data:image/png")
    );
}

#[test]
fn terminals_show_two_pixels_in_a_character() {
    let extent = Extent { columns: 80, rows: 24 };
    let shown = figure(image(gray(3, 2, &[0.0, 255.0, 10.0, 20.0, 30.0, 40.0])));
    let text = terminal::text(&shown, Protocol::Characters, extent).unwrap();
    let colour = |which: u8, byte: u8| format!("\x1b[{which};2;{byte};{byte};{byte}m");
    let first =
        format!("{}{}▀{}{}▀\x1b[0m\n", colour(38, 0), colour(48, 10), colour(38, 255), colour(48, 20));
    let second = format!("\x1b[0m{}▀\x1b[0m{}▀\x1b[0m\n", colour(38, 30), colour(38, 40));
    assert_eq!(text, first + &second);
    let large = figure(image(gray(100, 400, &[0.0; 40_000])));
    let text = terminal::text(&large, Protocol::Characters, extent).unwrap();
    assert_eq!((text.lines().count(), text.matches('▀').count()), (10, 800));
}

#[test]
fn terminals_show_charts_as_dots_and_letters() {
    let extent = Extent { columns: 80, rows: 24 };
    let text = terminal::text(&chart(), Protocol::Characters, extent).unwrap();
    assert_eq!(text.lines().count(), 24);
    for part in ["Waves", "time [s]", "first", "\x1b[38;2;220;20;20m"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.chars().any(|c| ('\u{2801}'..='\u{28ff}').contains(&c)));
    let kitty = terminal::text(&chart(), Protocol::Kitty, extent).unwrap();
    assert!(kitty.starts_with("\x1b_Ga=T,f=100,m=1;") && kitty.ends_with("\x1b\\\n"));
    let iterm = terminal::text(&chart(), Protocol::ITerm2, extent).unwrap();
    assert!(iterm.starts_with("\x1b]1337;File=inline=1;size="));
}

#[test]
fn the_environment_chooses_the_display() {
    let parse = |text: &str, is_terminal| {
        Display::parse(text, |name| (name == "KITTY_WINDOW_ID").then(|| "1".into()), is_terminal)
    };
    let files = |folder: &str, format| Display::Files(folder.into(), format);
    assert_eq!(parse("", false).unwrap(), files("figures", Format::Png));
    assert_eq!(parse("file:/a:b", true).unwrap(), files("/a:b", Format::Png));
    assert_eq!(parse("svg:x", true).unwrap(), files("x", Format::Svg));
    assert_eq!(parse("none", true).unwrap(), Display::None);
    assert!(matches!(parse("auto", true).unwrap(), Display::Terminal(Protocol::Kitty, _)));
    let plain = Display::parse("terminal", |_| None, false).unwrap();
    assert_eq!(plain, Display::Terminal(Protocol::Characters, Extent { columns: 80, rows: 24 }));
    assert!(parse("window", true).unwrap_err().to_string().contains("'window' is no display; use auto"));
}

/// What a display said.
#[derive(Default)]
struct Notes(Vec<String>);

impl Output for Notes {
    fn print(&mut self, _text: &str) -> std::io::Result<()> {
        Err(std::io::Error::other("nobody reads"))
    }

    fn note(&mut self, line: &str) {
        self.0.push(line.to_owned());
    }
}

/// A folder of this test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("quasar-figure-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// An embedder that keeps what it gets.
#[derive(Default)]
struct Embedder(Vec<(i64, String, String)>);

impl Output for Embedder {
    fn print(&mut self, _text: &str) -> std::io::Result<()> {
        Err(std::io::Error::other("nobody reads"))
    }

    fn note(&mut self, line: &str) {
        panic!("nobody is told: {line}");
    }

    fn picture(&mut self, number: i64, svg: &str, loss: &str) -> std::io::Result<()> {
        self.0.push((number, svg.to_owned(), loss.to_owned()));
        Ok(())
    }
}

#[test]
fn an_embedder_gets_figures() {
    let mut embedder = Embedder::default();
    let mut session = Session::new(Display::Embedder);
    session.add(vec![Layer::Image(gray(1, 1, &[300.0]))], &mut embedder).unwrap();
    session.show_changed(&mut embedder).unwrap();
    let [(1, svg, loss)] = &embedder.0[..] else { panic!("one figure: {:?}", embedder.0) };
    assert!(svg.starts_with("<svg ") && loss.contains("1 "), "{svg} {loss}");
    // Others say that they take none.
    session.add(vec![Layer::Image(gray(1, 1, &[3.0]))], &mut embedder).unwrap();
    let refused = session.show_changed(&mut Notes::default()).unwrap_err().to_string();
    assert!(refused.contains("nobody takes figures"), "{refused}");
}

#[test]
fn each_picture_is_shown_once() {
    let (folder, mut notes) = (folder("session"), Notes::default());
    let mut session = Session::new(Display::Files(folder.clone(), Format::Png));
    let mut add = |session: &mut Session, byte: f64| {
        session.add(vec![Layer::Image(gray(1, 1, &[byte]))], &mut notes).unwrap()
    };
    assert_eq!(add(&mut session, 1.0), 1);
    assert_eq!(add(&mut session, 300.0), 1);
    assert_eq!(session.figure(None).unwrap(), 2);
    assert_eq!(add(&mut session, 3.0), 2);
    session.axes().hold = true;
    session.show_changed(&mut notes).unwrap();
    session.show_changed(&mut notes).unwrap();
    assert!(session.figure(Some(0)).is_err());
    let file = |name: &str| folder.join(name);
    let line = |number: i64, name: &str, lost: &str| {
        format!("figure {number}: {} (128x128){lost}", file(name).display())
    };
    let expected = [
        line(1, "figure-1.png", ""),
        line(1, "figure-1-2.png", " (1 outside of 0 to 255)"),
        line(2, "figure-2.png", ""),
    ];
    assert_eq!(notes.0, expected);
    let shown = raster::decode(&std::fs::read(file("figure-2.png")).unwrap()).unwrap();
    assert_eq!(shown.opaque(0, 0), [3; 3]);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn displays_that_fail_are_errors() {
    let file = folder("file");
    std::fs::write(&file, "no folder").unwrap();
    let show = |display| {
        let mut session = Session::new(display);
        session.add(vec![Layer::Image(gray(1, 1, &[1.0]))], &mut Notes::default()).unwrap();
        session.show_changed(&mut Notes::default())
    };
    let error = show(Display::Files(file.clone(), Format::Html)).unwrap_err().to_string();
    assert!(error.starts_with("cannot write '") && error.contains("quasar-figure-file"), "{error}");
    let broken = Display::Terminal(Protocol::Characters, Extent { columns: 80, rows: 24 });
    assert_eq!(show(broken).unwrap_err().to_string(), "cannot write 'the terminal': nobody reads");
    assert!(show(Display::None).is_ok());
    std::fs::remove_file(file).unwrap();
}

#[test]
fn axes_of_a_grid_are_chosen_by_their_place() {
    let mut session = Session::new(Display::None);
    let mut notes = Notes::default();
    for (rows, columns, place) in [(0, 1, 1), (2, 2, 5), (2, 2, 0), (33, 1, 1)] {
        assert!(session.subplot(rows, columns, place, &mut notes).is_err());
    }
    session.subplot(2, 2, 3, &mut notes).unwrap();
    session.axes().title = "third".into();
    session.colour_map("hot").unwrap();
    assert!(session.colour_map("").is_err());
    let shown = rendered(&grid());
    assert_eq!((shown.width, shown.height), (1200, 900));
}
