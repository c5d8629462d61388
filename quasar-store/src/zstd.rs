//! Zstandard, which Python's Zarr writes by default, without C: chunks are read, and written at the one level that `ruzstd` has.

use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::borrow::Cow;
use std::io::Read;
use std::sync::Arc;
use zarrs::array::codec::{
    BytesToBytesCodecTraits, Codec, CodecError, CodecMetadataOptions, CodecOptions, CodecPlugin, CodecTraits,
    PartialDecoderCapability, PartialEncoderCapability,
};
use zarrs::array::concurrency::RecommendedConcurrency;
use zarrs::array::{BytesRepresentation, RawBytes};
use zarrs::metadata::Configuration;
use zarrs::metadata::v3::MetadataV3;
use zarrs::plugin::PluginCreateError;

const NAME: &str = "zstd";

inventory::submit! {
    CodecPlugin::new(NAME, |name| name == NAME, create)
}

fn create(metadata: &MetadataV3) -> Result<Codec, PluginCreateError> {
    let configuration = metadata.configuration().cloned().unwrap_or_default();
    Ok(Codec::BytesToBytes(Arc::new(Zstd { configuration })))
}

/// The codec, with the configuration that its array states.
#[derive(Clone, Debug)]
struct Zstd {
    configuration: Configuration,
}

impl CodecTraits for Zstd {
    fn identifier(&self) -> &str {
        NAME
    }

    fn configuration_opt(&self, _name: &str, _options: &CodecMetadataOptions) -> Option<Configuration> {
        Some(self.configuration.clone())
    }

    fn partial_decoder_capability(&self) -> PartialDecoderCapability {
        PartialDecoderCapability { partial_read: false, partial_decode: false }
    }

    fn partial_encoder_capability(&self) -> PartialEncoderCapability {
        PartialEncoderCapability { partial_encode: false }
    }
}

impl BytesToBytesCodecTraits for Zstd {
    fn into_dyn(self: Arc<Self>) -> Arc<dyn BytesToBytesCodecTraits> {
        self
    }

    fn recommended_concurrency(&self, _: &BytesRepresentation) -> Result<RecommendedConcurrency, CodecError> {
        Ok(RecommendedConcurrency::new_maximum(1))
    }

    fn encode<'a>(&self, decoded: RawBytes<'a>, _: &CodecOptions) -> Result<RawBytes<'a>, CodecError> {
        Ok(Cow::Owned(compress_to_vec(&*decoded, CompressionLevel::Fastest)))
    }

    fn decode<'a>(
        &self,
        encoded: RawBytes<'a>,
        decoded: &BytesRepresentation,
        _: &CodecOptions,
    ) -> Result<RawBytes<'a>, CodecError> {
        let damaged =
            |error: &dyn std::fmt::Display| CodecError::Other(format!("not Zstandard data: {error}"));
        let mut found = Vec::new();
        // One byte more than may be there, so that an excess shows and takes no memory.
        let most = decoded.size().map_or(u64::MAX, |size| size.saturating_add(1));
        let reader = StreamingDecoder::new(&*encoded).map_err(|error| damaged(&error))?;
        reader.take(most).read_to_end(&mut found).map_err(|error| damaged(&error))?;
        Ok(Cow::Owned(found))
    }

    fn encoded_representation(&self, decoded: &BytesRepresentation) -> BytesRepresentation {
        // Blocks that do not become smaller are stored, with 3 bytes before each.
        let most = |size: u64| BytesRepresentation::BoundedSize(size.saturating_add(size / 256 + 64));
        decoded.size().map_or(BytesRepresentation::UnboundedSize, most)
    }
}
