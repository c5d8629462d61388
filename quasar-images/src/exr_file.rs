//! EXR files with one image of floats, through the crate `exr`: gray (`Y`), RGB and RGBA. Halves are read as floats of 32 bits, which
//! hold them exactly; floats are written.

use crate::{Depth, Failure, Image, Layout, not_held};
use exr::image::{AnyChannel, AnyChannels, Encoding, FlatSamples, Image as File, Layer};
use exr::math::Vec2;
use exr::meta::MetaData;
use exr::meta::attribute::Text;
use exr::meta::header::LayerAttributes;
use exr::prelude::{ReadChannels, ReadLayers, WritableImage, read};
use std::io::Cursor;

/// The names of channels that are read, as those of pixels follow each other.
const CHANNELS: [&[&str]; 4] = [&["Y"], &["Y", "A"], &["R", "G", "B"], &["R", "G", "B", "A"]];

pub(crate) fn decode(file: &[u8], most: u64) -> Result<Image, Failure> {
    let meta = MetaData::read_from_buffered(Cursor::new(file), true).map_err(Failure::wrong)?;
    let [header] = &meta.headers[..] else {
        return Err(Failure::wrong(format!("the file has {} layers; one is supported", meta.headers.len())));
    };
    let found: Vec<String> = header.channels.list.iter().map(|channel| channel.name.to_string()).collect();
    let is_found =
        |names: &&&[&str]| names.len() == found.len() && found.iter().all(|name| names.contains(&&name[..]));
    let wanted = CHANNELS.iter().find(is_found).ok_or_else(|| {
        Failure::Wrong(format!(
            "channels {} are not supported; those of Y, RGB and RGBA are",
            found.join(", ")
        ))
    })?;
    let (size, display) = (header.layer_size, header.shared_attributes.display_window);
    if header.own_attributes.layer_position != display.position || size != display.size {
        return Err(Failure::wrong(
            "the file holds another part of the image than is shown, which is not supported",
        ));
    }
    let extent = |n: usize| u32::try_from(n).map_err(Failure::wrong);
    let (width, height) = (extent(size.width())?, extent(size.height())?);
    let layout = Layout { width, height, channels: wanted.len(), depth: Depth::Float };
    let bytes = layout.believed(most)?;
    // The decoder asks for its memory without a way to fail.
    drop(layout.room(bytes.saturating_mul(2))?);
    let image = read()
        .no_deep_data()
        .largest_resolution_level()
        .all_channels()
        .first_valid_layer()
        .all_attributes()
        .non_parallel()
        .from_buffered(Cursor::new(file))
        .map_err(Failure::wrong)?;
    let list = &image.layer_data.channel_data.list;
    let mut planes = Vec::new();
    for name in wanted.iter() {
        let channel = list.iter().find(|channel| channel.name == **name);
        let channel = channel.ok_or_else(|| Failure::wrong("a channel is missing"))?;
        if channel.sampling != Vec2(1, 1) {
            return Err(Failure::wrong("channels with fewer samples than pixels are not supported"));
        }
        planes.push(plane(&channel.sample_data)?);
    }
    let mut samples = layout.room(bytes)?;
    for k in 0..width as usize * height as usize {
        for plane in &planes {
            let sample = plane.get(k).ok_or_else(|| Failure::wrong("samples are missing"))?;
            samples.extend_from_slice(&sample.to_ne_bytes());
        }
    }
    Ok(Image { layout, bytes: samples })
}

fn plane(samples: &FlatSamples) -> Result<Vec<f32>, Failure> {
    match samples {
        FlatSamples::F16(halves) => Ok(halves.iter().map(|half| half.to_f32()).collect()),
        FlatSamples::F32(floats) => Ok(floats.clone()),
        FlatSamples::U32(_) => Err(Failure::wrong("samples of 32 bits that are no floats are not supported")),
    }
}

pub(crate) fn encode(image: &Image) -> Result<Vec<u8>, String> {
    let Layout { width, height, channels, depth } = image.layout;
    let names = CHANNELS.iter().find(|names| names.len() == channels);
    let Some(names) = names.filter(|_| depth == Depth::Float) else {
        return Err(not_held("exr", &image.layout));
    };
    let samples = image.bytes.as_chunks::<4>().0;
    let plane = |k: usize| -> Vec<f32> {
        samples.iter().skip(k).step_by(channels).map(|sample| f32::from_ne_bytes(*sample)).collect()
    };
    let list = names
        .iter()
        .enumerate()
        .map(|(k, name)| AnyChannel::new(Text::from(*name), FlatSamples::F32(plane(k))));
    let channels = AnyChannels::sort(list.collect());
    let size = (width as usize, height as usize);
    let layer = Layer::new(size, LayerAttributes::default(), Encoding::SMALL_LOSSLESS, channels);
    let mut file = Cursor::new(Vec::new());
    let image = File::from_layer(layer);
    image.write().non_parallel().to_buffered(&mut file).map_err(|error| error.to_string())?;
    Ok(file.into_inner())
}
