//! `open_array`, `create_array` and `flush_array`: arrays in folders of chunks, which may be larger than memory.

use crate::error::Result;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::{Value, ValueError, array};

/// `open_array(folder)`.
pub(super) fn open_array(args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    let [folder] = args else { return Err(ValueError::argument_count("open_array", "1", args.len()).into()) };
    let folder = text("open_array", 0, folder)?;
    Ok(vec![opened(folder)?])
}

/// `create_array(folder, n, ..[, type][, "chunks=AxB"][, "gzip"])`.
pub(super) fn create_array(args: &[Value], working: ElementType) -> Result<Vec<Value>> {
    let Some((folder, rest)) = args.split_first() else {
        return Err(ValueError::argument_count("create_array", "at least 2", 0).into());
    };
    let folder = text("create_array", 0, folder)?;
    let count = rest.iter().take_while(|arg| arg.as_text().is_none()).count();
    let (sizes, options) = rest.split_at(count);
    let mut wanted = Wanted { element: working, dims: extents(sizes)?, chunks: None, gzip: false };
    for (k, option) in options.iter().enumerate() {
        wanted.take(text("create_array", 1 + count + k, option)?, 1 + count + k)?;
    }
    Ok(vec![created(folder, wanted)?])
}

/// `flush_array(x)`: all arrays of `create_array` are written, `x` among them.
pub(super) fn flush_array(args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    let [array] = args else { return Err(ValueError::argument_count("flush_array", "1", args.len()).into()) };
    if array.as_array().is_none() {
        return Err(ValueError::wrong_argument("flush_array", 0, "an array", &array.kind()).into());
    }
    crate::store::flush()?;
    Ok(Vec::new())
}

/// What an array is to be.
struct Wanted {
    element: ElementType,
    dims: Vec<usize>,
    chunks: Option<Vec<usize>>,
    gzip: bool,
}

impl Wanted {
    /// Takes an option.
    fn take(&mut self, option: &str, position: usize) -> Result<()> {
        if let Some(element) = ElementType::ALL.iter().find(|element| element.name() == option) {
            self.element = *element;
        } else if option == "single" || option == "double" {
            self.element = if option == "single" { ElementType::Single } else { ElementType::Double };
        } else if option == "gzip" {
            self.gzip = true;
        } else if let Some(chunks) = option.strip_prefix("chunks=").and_then(chunk_shape) {
            self.chunks = Some(chunks);
        } else {
            let what = "an element type such as \"uint8\", \"chunks=64x512\" or \"gzip\"";
            let found = format!("\"{option}\"");
            return Err(ValueError::wrong_argument("create_array", position, what, &found).into());
        }
        Ok(())
    }
}

/// `64x512`
fn chunk_shape(text: &str) -> Option<Vec<usize>> {
    text.split('x').map(|extent| extent.trim().parse().ok().filter(|extent| *extent > 0)).collect()
}

/// The extents, as numbers or as one vector.
fn extents(sizes: &[Value]) -> Result<Vec<usize>> {
    let numbers: Vec<i64> = match sizes {
        [Value::Array(vector)] => array::read(&**vector, |view| {
            (0..view.data.len()).filter_map(|k| view.data.scalar(k)).map(|x| x.as_i64()).collect()
        }),
        sizes => {
            let number = |(k, size): (usize, &Value)| match size.as_scalar() {
                Some(number) => Ok(number.as_i64()),
                None => Err(ValueError::wrong_argument("create_array", k + 1, "a size", &size.kind())),
            };
            sizes.iter().enumerate().map(number).collect::<std::result::Result<_, _>>()?
        }
    };
    if numbers.is_empty() || numbers.len() > crate::array::MAX_DIMS {
        return Err(
            ValueError::argument_count("create_array", "a folder and 1 to 16 sizes", sizes.len()).into()
        );
    }
    let extent = |n: i64| {
        usize::try_from(n).ok().filter(|n| *n <= i32::MAX as usize).ok_or_else(|| {
            let message = format!("create_array: an array cannot have {n} elements along a dimension");
            crate::error::Error::argument(message)
        })
    };
    numbers.into_iter().map(extent).collect()
}

fn text<'a>(function: &'static str, position: usize, value: &'a Value) -> Result<&'a str> {
    let what = if position == 0 { "the name of a folder" } else { "an option" };
    value.as_text().ok_or_else(|| ValueError::wrong_argument(function, position, what, &value.kind()).into())
}

#[cfg(feature = "zarr")]
fn opened(folder: &str) -> Result<Value> {
    crate::store::open(folder.as_ref())
}

#[cfg(feature = "zarr")]
fn created(folder: &str, Wanted { element, dims, chunks, gzip }: Wanted) -> Result<Value> {
    crate::store::create(folder.as_ref(), &crate::store::NewArray { element, dims, chunks, gzip })
}

#[cfg(not(feature = "zarr"))]
fn opened(folder: &str) -> Result<Value> {
    Err(without_zarr("open_array", folder))
}

#[cfg(not(feature = "zarr"))]
fn created(folder: &str, Wanted { element, dims, chunks, gzip }: Wanted) -> Result<Value> {
    let _ = (element, dims, chunks, gzip);
    Err(without_zarr("create_array", folder))
}

#[cfg(not(feature = "zarr"))]
fn without_zarr(function: &'static str, folder: &str) -> crate::error::Error {
    let message = "this program was built without the feature `zarr` of the crate `quasar-array`".to_owned();
    let place = crate::error::Place::UNKNOWN;
    crate::error::Error::File { place, function, path: folder.into(), message }
}
