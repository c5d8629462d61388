//! Images of the crate `image`: `mat` for gray ones, `cube(:,:,3)` for RGB, `cube(:,:,4)` with transparency.

use crate::array::{Array, Shape};
use crate::error::{Error, Result};
use image::{DynamicImage, ImageBuffer, Luma, LumaA, Pixel, Primitive, Rgb, Rgba};
use quasar_devicelib::element::Element;

type Buffer<P> = ImageBuffer<P, Vec<<P as Pixel>::Subpixel>>;

fn shape<P: Pixel>(image: &Buffer<P>, channels: usize) -> Shape {
    let (width, height) = image.dimensions();
    let (width, height) = (width as usize, height as usize);
    if channels == 1 { Shape::small([height, width]) } else { Shape::small([height, width, channels]) }
}

/// The pixels without the unused tail that an image buffer may have.
fn pixels<P: Pixel>(image: Buffer<P>, shape: &Shape) -> Vec<P::Subpixel> {
    let mut pixels = image.into_raw();
    pixels.truncate(shape.count());
    pixels
}

macro_rules! pixel {
    ($($pixel:ident $channels:literal $size:literal),*) => {
        $(impl<T: Element + Primitive> From<ImageBuffer<$pixel<T>, Vec<T>>> for Array<T>
        where
            $pixel<T>: Pixel<Subpixel = T>,
        {
            /// The pixels are moved.
            fn from(image: ImageBuffer<$pixel<T>, Vec<T>>) -> Array<T> {
                let shape = shape(&image, $channels);
                Array::with_elements(shape, pixels(image, &shape))
            }
        }

        impl From<ImageBuffer<$pixel<u8>, Vec<u8>>> for Array<f32> {
            /// Numbers from 0 to 255.
            fn from(image: ImageBuffer<$pixel<u8>, Vec<u8>>) -> Array<f32> {
                let shape = shape(&image, $channels);
                Array::with_elements(shape, widened(&pixels(image, &shape)))
            }
        }

        impl<T: Element + Primitive> TryFrom<Array<T>> for ImageBuffer<$pixel<T>, Vec<T>>
        where
            $pixel<T>: Pixel<Subpixel = T>,
        {
            type Error = Error;

            /// The elements are moved as in [`Array::into_vec`]. Another number of channels is an error.
            fn try_from(array: Array<T>) -> Result<Self> {
                let found = *array.shape();
                let wrong = || Error::size_mismatch(format!("an image of size {} was expected, found {found}", $size));
                let (width, height) = image_extents(&found, $channels).ok_or_else(wrong)?;
                ImageBuffer::from_raw(width, height, array.into_vec()).ok_or_else(wrong)
            }
        })*
    };
}
pixel!(Luma 1 "MxN", LumaA 2 "MxNx2", Rgb 3 "MxNx3", Rgba 4 "MxNx4");

/// Width and height.
fn image_extents(shape: &Shape, channels: usize) -> Option<(u32, u32)> {
    let fits = match shape.dims().len() {
        2 => channels == 1,
        3 => shape.extent(2) == channels,
        _ => false,
    };
    let width = u32::try_from(shape.extent(1)).ok()?;
    let height = u32::try_from(shape.extent(0)).ok()?;
    fits.then_some((width, height))
}

fn widened<T: Copy + Into<f32>>(pixels: &[T]) -> Vec<f32> {
    pixels.iter().map(|&x| x.into()).collect()
}

/// The pixels as numbers: 0 to 255 for 8 bits, 0 to 65535 for 16 bits, as they are for floating point. Gray images
/// with transparency become RGBA.
pub fn from_dynamic_image(image: DynamicImage) -> Result<Array<f32>> {
    fn wide<P: Pixel<Subpixel = u16>>(image: Buffer<P>, channels: usize) -> Array<f32> {
        let shape = shape(&image, channels);
        Array::with_elements(shape, widened(&pixels(image, &shape)))
    }
    Ok(match image {
        DynamicImage::ImageLuma8(image) => image.into(),
        DynamicImage::ImageRgb8(image) => image.into(),
        DynamicImage::ImageRgba8(image) => image.into(),
        DynamicImage::ImageLuma16(image) => wide(image, 1),
        DynamicImage::ImageRgb16(image) => wide(image, 3),
        DynamicImage::ImageRgba16(image) => wide(image, 4),
        DynamicImage::ImageRgb32F(image) => image.into(),
        DynamicImage::ImageRgba32F(image) => image.into(),
        image @ DynamicImage::ImageLumaA16(_) => wide(image.into_rgba16(), 4),
        image @ DynamicImage::ImageLumaA8(_) => image.into_rgba8().into(),
        other => {
            let message = format!("pixels of type {:?} are not supported", other.color());
            return Err(Error::argument(message));
        }
    })
}

impl TryFrom<DynamicImage> for Array<f32> {
    type Error = Error;

    /// See [`from_dynamic_image`].
    fn try_from(image: DynamicImage) -> Result<Array<f32>> {
        from_dynamic_image(image)
    }
}

impl From<DynamicImage> for Array<u8> {
    /// The pixels with 8 bits a channel.
    fn from(image: DynamicImage) -> Array<u8> {
        match (image.color().has_color(), image.color().has_alpha()) {
            (_, true) => image.into_rgba8().into(),
            (true, false) => image.into_rgb8().into(),
            (false, false) => image.into_luma8().into(),
        }
    }
}

impl TryFrom<Array<u8>> for DynamicImage {
    type Error = Error;

    /// The elements are moved as in [`Array::into_vec`].
    fn try_from(array: Array<u8>) -> Result<DynamicImage> {
        Ok(match (array.ndims(), array.extent(2)) {
            (3, 3) => DynamicImage::ImageRgb8(array.try_into()?),
            (3, 4) => DynamicImage::ImageRgba8(array.try_into()?),
            _ => DynamicImage::ImageLuma8(array.try_into()?),
        })
    }
}

impl TryFrom<Array<f32>> for DynamicImage {
    type Error = Error;

    /// Elements from 0 to 255 are rounded; others become the nearest of these.
    fn try_from(array: Array<f32>) -> Result<DynamicImage> {
        let bytes = array.try_read()?.iter().map(|x| x.round() as u8).collect();
        Array::<u8>::from_vec(array.dims(), bytes)?.try_into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{GrayImage, RgbImage};

    #[test]
    fn pixels_are_moved_in_and_out() {
        let image = RgbImage::from_fn(3, 2, |x, y| Rgb([x as u8, y as u8, 9]));
        let address = image.as_ptr();
        let a: Array<u8> = image.into();
        assert_eq!(a.dims(), [2, 3, 3]);
        assert_eq!(a.get(&[1, 2, 0]).unwrap(), 2);
        assert_eq!(a.get(&[1, 2, 1]).unwrap(), 1);
        assert_eq!(a.read().as_ptr(), address);
        let error = GrayImage::try_from(a.clone()).unwrap_err();
        assert_eq!(error.to_string(), "an image of size MxN was expected, found 2x3x3");
        let b = a.copy().unwrap();
        let back = RgbImage::try_from(b).unwrap();
        assert_eq!(back.get_pixel(2, 1), &Rgb([2, 1, 9]));
    }

    #[test]
    fn bytes_become_numbers() {
        let image = GrayImage::from_raw(2, 1, vec![0, 255]).unwrap();
        let a: Array<f32> = image.into();
        assert_eq!((a.dims(), a.to_vec()), ([1, 2].as_slice(), vec![0.0, 255.0]));
        let a = Array::from([[-3.0f32, 1.5, 300.0, f32::NAN]]);
        let image = DynamicImage::try_from(a).unwrap();
        assert_eq!(image.as_bytes(), [0, 2, 255, 0]);
    }

    #[test]
    fn every_dynamic_image_has_a_shape() {
        let cases = [
            (DynamicImage::new_luma8(4, 3), vec![3, 4]),
            (DynamicImage::new_luma_a8(4, 3), vec![3, 4, 4]),
            (DynamicImage::new_rgb16(4, 3), vec![3, 4, 3]),
            (DynamicImage::new_rgba32f(4, 3), vec![3, 4, 4]),
        ];
        for (image, dims) in cases {
            assert_eq!(Array::<u8>::from(image.clone()).dims(), dims);
            assert_eq!(Array::<f32>::try_from(image).unwrap().dims(), dims);
        }
    }
}
