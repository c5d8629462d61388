//! Images of kernels on disk: whatever a file of the cache holds, what is loaded is what was stored, or nothing. Packed
//! PTX of programs: any bytes.

use super::folder;
use crate::bytes::Bytes;
use crate::memory::limited;
use quasar_compiled::cache::{ImageCache, ImageKey};
use quasar_compiled::portable;
use std::path::PathBuf;

pub fn run(data: &[u8]) {
    limited(1 << 28, || act(&mut Bytes::new(data)));
}

fn act(bytes: &mut Bytes<'_>) {
    let choice = bytes.byte();
    if choice & 3 == 3 {
        drop(portable::unpack(bytes.rest()));
        return;
    }
    let cache = ImageCache::in_folder(folder().join("images"), 1 << 20);
    let image = b"an image of sixteen words".repeat(1 + usize::from(choice >> 4));
    let key = ImageKey::of(&[b"kernel", &[choice]]);
    cache.store(key, &image);
    assert_eq!(cache.load(key).as_deref(), Some(&image[..]), "what was stored is there");
    let Some(path) = only_file(&cache) else { return };
    let whole = std::fs::read(&path).unwrap_or_default();
    let damaged = if choice & 1 == 0 { bytes.rest().to_vec() } else { changed(whole.clone(), bytes) };
    if std::fs::write(&path, &damaged).is_ok() {
        let loaded = cache.load(key);
        assert!(loaded.is_none() || loaded.as_deref() == Some(&image[..]), "a damaged image was loaded");
        assert!(damaged == whole || !path.exists() || loaded.is_some(), "a damaged image stays");
    }
    cache.refuse(key);
    assert!(cache.load(key).is_none(), "a refused image stays");
}

/// The file of the image, the only one in the folder.
fn only_file(cache: &ImageCache) -> Option<PathBuf> {
    let entries = std::fs::read_dir(cache.folder()?).ok()?;
    entries.flatten().map(|entry| entry.path()).find(|path| path.extension().is_some_and(|e| e == "image"))
}

/// The bytes with some changed, cut off and added.
fn changed(mut whole: Vec<u8>, bytes: &mut Bytes<'_>) -> Vec<u8> {
    for _ in 0..1 + bytes.below(4) {
        let at = bytes.below(whole.len().max(1));
        match bytes.below(4) {
            0 => whole.truncate(at),
            1 => whole.insert(at.min(whole.len()), bytes.byte()),
            2 if at < whole.len() => whole[at] = bytes.byte(),
            _ => whole.extend_from_slice(bytes.text().as_bytes()),
        }
    }
    whole
}
