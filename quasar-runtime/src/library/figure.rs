//! Functions that show something: their arguments as what figures hold. The figures of a thread live as long as the thread; what
//! was not shown before is shown when it ends.

use crate::error::{Error, Result};
use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::value::{Value, ValueError, array};
use quasar_figure::display::{Console, Display, Output};
use quasar_figure::model::{Axes, Layer, Picture, Range, Style};
use quasar_figure::session::Session;
use std::cell::RefCell;

/// The figures of this thread.
struct Figures(Option<Session>);

impl Drop for Figures {
    fn drop(&mut self) {
        if let Some(session) = &mut self.0
            && let Err(error) = session.show_changed(&mut Console)
        {
            Console.note(&format!("error: {error}"));
        }
    }
}

/// Who takes the figures of a thread: the number of each, its SVG, and what its image does not show exactly.
pub type Viewer = Box<dyn FnMut(i64, &str, &str)>;

thread_local! {
    static FIGURES: RefCell<Figures> = const { RefCell::new(Figures(None)) };
    static VIEWER: RefCell<Option<Viewer>> = const { RefCell::new(None) };
}

/// Where terminals are written: as `print` does, so that both stay in order.
struct Printed;

impl Output for Printed {
    fn print(&mut self, text: &str) -> std::io::Result<()> {
        crate::context::print(text).map_err(|error| std::io::Error::other(error.to_string()))
    }

    fn note(&mut self, line: &str) {
        Console.note(line);
    }

    fn picture(&mut self, number: i64, svg: &str, loss: &str) -> std::io::Result<()> {
        VIEWER.with_borrow_mut(|viewer| match viewer {
            Some(viewer) => {
                viewer(number, svg, loss);
                Ok(())
            }
            None => Err(std::io::Error::other("nobody takes figures here")),
        })
    }
}

fn with_session<R>(
    function: &str,
    f: impl FnOnce(&mut Session, &mut dyn Output) -> quasar_figure::Result<R>,
) -> Result<R> {
    let failed = |error: quasar_figure::Error| Error::argument(format!("{function}: {error}"));
    FIGURES.with_borrow_mut(|figures| {
        let session = match &mut figures.0 {
            Some(session) => session,
            none => none.insert(Session::new(Display::of_environment().map_err(failed)?)),
        };
        f(session, &mut Printed).map_err(failed)
    })
}

/// Shows the figures of this thread that changed since they were shown last. The end of a thread does so, too, but cannot give the
/// error to anybody.
///
/// # Errors
/// If a figure cannot be shown.
pub fn show_figures() -> Result<()> {
    let any = FIGURES.with_borrow(|figures| figures.0.is_some());
    if any { with_session("drawnow", |session, output| session.show_changed(output)) } else { Ok(()) }
}

/// Chooses where the figures of this thread are shown: a text as in the environment variable `QUASAR_DISPLAY`.
///
/// # Errors
/// If the text names no display.
pub fn set_display(text: &str) -> Result<()> {
    let variable = |name: &str| std::env::var(name).ok();
    let is_terminal = std::io::IsTerminal::is_terminal(&std::io::stdout());
    let display = Display::parse(text, variable, is_terminal)
        .map_err(|error| Error::argument(format!("set_display: {error}")))?;
    FIGURES.with_borrow_mut(|figures| match &mut figures.0 {
        Some(session) => session.set_display(display),
        none => *none = Some(Session::new(display)),
    });
    Ok(())
}

/// Gives the figures of this thread to a function from now on, beginning with none; what was not shown is forgotten. With `None`, figures
/// go where the environment says. The function is called while the figures are in use: it draws none itself.
pub fn set_viewer(viewer: Option<Viewer>) {
    let session = viewer.is_some().then(|| Session::new(Display::Embedder));
    VIEWER.set(viewer);
    FIGURES.with_borrow_mut(|figures| figures.0 = session);
}

/// A function of this module.
type Function = fn(&str, &[Value]) -> Result<Vec<Value>>;

/// What the functions do.
const FUNCTIONS: &[(&str, Function)] = &[
    ("axis", axis),
    ("bar", bar),
    ("colorbar", colorbar),
    ("colormap", |name, args| {
        let map = text(name, args, 0)?;
        with_session(name, |session, _| session.colour_map(map)).map(nothing)
    }),
    ("drawnow", |_, _| show_figures().map(nothing)),
    ("figure", figure),
    ("hold", hold),
    ("imshow", imshow),
    ("legend", legend),
    ("plot", |name, args| curves(name, args, Style::LINE)),
    ("scatter", |name, args| curves(name, args, Style::POINTS)),
    ("subplot", subplot),
    ("title", |name, args| label(name, args, |axes, text| axes.title = text)),
    ("xlabel", |name, args| label(name, args, |axes, text| axes.xlabel = text)),
    ("ylabel", |name, args| label(name, args, |axes, text| axes.ylabel = text)),
];

/// Calls the function of a name.
pub(super) fn call(name: &str, args: &[Value]) -> Result<Vec<Value>> {
    match FUNCTIONS.iter().find(|(known, _)| *known == name) {
        Some((_, function)) => function(name, args),
        None => Err(Error::argument(format!("unknown function {name}"))),
    }
}

fn nothing((): ()) -> Vec<Value> {
    Vec::new()
}

fn text<'a>(function: &str, args: &'a [Value], place: usize) -> Result<&'a str> {
    let value = args.get(place).unwrap_or(&Value::Unit);
    value
        .as_text()
        .ok_or_else(|| ValueError::wrong_argument(function, place, "a string", &value.kind()).into())
}

fn whole(function: &str, args: &[Value], place: usize) -> Result<i64> {
    let value = args.get(place).unwrap_or(&Value::Unit);
    let number = value.as_scalar().map(Scalar::as_f64).filter(|x| x.fract() == 0.0);
    let wrong = || ValueError::wrong_argument(function, place, "a whole number", &value.kind()).into();
    number.map(|x| x as i64).ok_or_else(wrong)
}

/// Extents and elements of an array of real numbers; a number is an array of one.
fn numbers(function: &str, args: &[Value], place: usize) -> Result<(Vec<usize>, Vec<f64>)> {
    let value = args.get(place).unwrap_or(&Value::Unit);
    let wrong = || ValueError::wrong_argument(function, place, "an array of real numbers", &value.kind());
    if let Some(number) = value.as_scalar().filter(|x| !x.element_type().is_complex()) {
        return Ok((vec![1], vec![number.as_f64()]));
    }
    let object = value.as_array().ok_or_else(wrong)?;
    if object.element_type().is_none_or(|element| element.is_complex()) {
        return Err(wrong().into());
    }
    array::read(object, |view| {
        let count = view.data.len();
        let elements = (0..count).map(|i| view.data.scalar(i).map_or(f64::NAN, |x| x.as_f64()));
        Ok((view.dims.to_vec(), array::collect(count, elements)?))
    })
}

/// `imshow(img[, range])`: the number of the figure.
fn imshow(name: &str, args: &[Value]) -> Result<Vec<Value>> {
    let image = args.first().unwrap_or(&Value::Unit);
    let (dims, elements) = numbers(name, args, 0)?;
    let wrong = || ValueError::wrong_argument(name, 0, "an image", &image.kind());
    let dims = match dims[..] {
        [width] => [1, width, 1],
        [height, width] => [height, width, 1],
        [height, width, channels] => [height, width, channels],
        _ => return Err(wrong().into()),
    };
    let range = match args.get(1) {
        Some(_) => chosen_range(name, args)?,
        None => whole_range(image),
    };
    let show = |session: &mut Session, output: &mut dyn Output| {
        let picture = Picture::new(dims, &elements, range)?;
        session.add(vec![Layer::Image(picture)], output)
    };
    with_session(name, show).map(|number| vec![Value::int(number)])
}

/// All values that the elements of an image can have; those of 8 bits where the type does not say it.
fn whole_range(image: &Value) -> Range {
    let object = image.as_array();
    if object.is_some_and(|object| object.is_mask()) {
        return Range::Given(0.0, 1.0);
    }
    match object.and_then(|object| object.element_type()) {
        Some(ElementType::UInt16) => Range::Given(0.0, f64::from(u16::MAX)),
        _ => Range::Given(0.0, f64::from(u8::MAX)),
    }
}

/// `[low, high]`, or `[]` for what occurs.
fn chosen_range(name: &str, args: &[Value]) -> Result<Range> {
    // An empty matrix may be one without a type of elements.
    if args.get(1).and_then(Value::as_array).is_some_and(|object| object.dims().contains(&0)) {
        return Ok(Range::Found);
    }
    match numbers(name, args, 1)?.1[..] {
        [low, high] => Ok(Range::Given(low, high)),
        [] => Ok(Range::Found),
        _ => Err(Error::argument(format!("{name}: the range must be [] or [low, high] with low < high"))),
    }
}

/// The columns of `y` over `x`, or over 0, 1, ...
fn pairs(name: &str, args: &[Value]) -> Result<Vec<Vec<(f64, f64)>>> {
    let last = args.len().saturating_sub(1);
    let (dims, ys) = numbers(name, args, last)?;
    let (rows, columns) = match dims[..] {
        [length] | [1, length] | [length, 1] => (length, 1),
        [rows, columns] => (rows, columns),
        _ => {
            let kind = args.get(last).map(Value::kind).unwrap_or_default();
            return Err(ValueError::wrong_argument(name, last, "a vector or a matrix", &kind).into());
        }
    };
    let xs = match last {
        0 => (0..rows).map(|x| x as f64).collect(),
        _ => numbers(name, args, 0)?.1,
    };
    if xs.len() != rows {
        return Err(Error::argument(format!("{name}: there are {} places for {rows} values", xs.len())));
    }
    let column = |at: usize| xs.iter().copied().zip(ys.iter().skip(at).step_by(columns).copied()).collect();
    Ok((0..columns).map(column).collect())
}

/// `plot([x, ]y[, style])`, one curve for each column: the number of the figure.
fn curves(name: &str, args: &[Value], otherwise: Style) -> Result<Vec<Value>> {
    let (data, style) = match args {
        [data @ .., style] if style.as_text().is_some() && !data.is_empty() => (data, style.as_text()),
        data => (data, None),
    };
    let wrong = |error: quasar_figure::Error| Error::argument(format!("{name}: {error}"));
    let style = style.map_or(Ok(otherwise), Style::parse).map_err(wrong)?;
    if !(1..=2).contains(&data.len()) {
        return Err(ValueError::argument_count(name, "1 to 3", args.len()).into());
    }
    let layers = pairs(name, data)?.into_iter().map(|points| Layer::Curve { points, style }).collect();
    with_session(name, |session, output| session.add(layers, output)).map(|number| vec![Value::int(number)])
}

/// `bar([x, ]y)`: the number of the figure.
fn bar(name: &str, args: &[Value]) -> Result<Vec<Value>> {
    let series = pairs(name, args)?;
    let together = series.len();
    let bars = series.into_iter().enumerate();
    let layers = bars.map(|(k, points)| Layer::Bars { points, beside: (k, together) }).collect();
    with_session(name, |session, output| session.add(layers, output)).map(|number| vec![Value::int(number)])
}

/// `figure([number])`: the number.
fn figure(name: &str, args: &[Value]) -> Result<Vec<Value>> {
    let number = if args.is_empty() { None } else { Some(whole(name, args, 0)?) };
    with_session(name, |session, _| session.figure(number)).map(|number| vec![Value::int(number)])
}

/// `hold("on")`, `hold("off")`: 1, as long as the program may go on drawing.
fn hold(name: &str, args: &[Value]) -> Result<Vec<Value>> {
    let on = match text(name, args, 0)? {
        "on" => true,
        "off" => false,
        other => {
            return Err(Error::argument(format!(
                "{name}: argument 1 must be \"on\" or \"off\", found \"{other}\""
            )));
        }
    };
    with_session(name, |session, _| {
        session.axes().hold = on;
        Ok(vec![Value::int(1)])
    })
}

fn label(name: &str, args: &[Value], set: impl FnOnce(&mut Axes, String)) -> Result<Vec<Value>> {
    let text = text(name, args, 0)?.to_owned();
    with_session(name, |session, _| {
        set(session.axes(), text);
        Ok(Vec::new())
    })
}

/// `legend(name, ..)`: the names of the curves and bars in order.
fn legend(name: &str, args: &[Value]) -> Result<Vec<Value>> {
    let names = (0..args.len()).map(|place| text(name, args, place).map(str::to_owned));
    let names = names.collect::<Result<Vec<String>>>()?;
    with_session(name, |session, _| {
        session.axes().legend = names;
        Ok(Vec::new())
    })
}

/// `colorbar()`, `colorbar("off")`.
fn colorbar(name: &str, args: &[Value]) -> Result<Vec<Value>> {
    let on = match args {
        [] => true,
        _ => match text(name, args, 0)? {
            "on" => true,
            "off" => false,
            other => {
                let message = format!("{name}: argument 1 must be \"on\" or \"off\", found \"{other}\"");
                return Err(Error::argument(message));
            }
        },
    };
    with_session(name, |session, _| {
        session.axes().colour_bar = on;
        Ok(Vec::new())
    })
}

/// `subplot(rows, columns, place)`.
fn subplot(name: &str, args: &[Value]) -> Result<Vec<Value>> {
    let part = |place| Ok::<_, Error>(usize::try_from(whole(name, args, place)?).unwrap_or(0));
    let (rows, columns, place) = (part(0)?, part(1)?, part(2)?);
    with_session(name, |session, output| session.subplot(rows, columns, place, output)).map(nothing)
}

/// `axis([x0, x1, y0, y1])`, `axis("on")`, `axis("off")`, `axis("auto")`.
fn axis(name: &str, args: &[Value]) -> Result<Vec<Value>> {
    let wrong = || {
        Error::argument(format!(
            "{name}: argument 1 must be \"on\", \"off\", \"auto\" or [x0, x1, y0, y1] with x0 < x1 and y0 < y1"
        ))
    };
    let word = args.first().and_then(Value::as_text);
    let limits = match word {
        Some(_) => None,
        None => match numbers(name, args, 0)?.1[..] {
            [x0, x1, y0, y1] if x0 < x1 && y0 < y1 && [x0, x1, y0, y1].iter().all(|x| x.is_finite()) => {
                Some([x0, x1, y0, y1])
            }
            _ => return Err(wrong()),
        },
    };
    with_session(name, |session, _| {
        let axes = session.axes();
        match word {
            None if axes.image().is_some() => {
                let message = format!("{name}: not supported yet: a part of an image; show x[a..b,c..d]");
                return Ok(Err(Error::argument(message)));
            }
            None | Some("auto") => axes.limits = limits,
            Some("on") => axes.frame = true,
            Some("off") => axes.frame = false,
            Some(_) => return Ok(Err(wrong())),
        }
        Ok(Ok(Vec::new()))
    })?
}
