//! The disk cache of compiled kernels, so that later processes need not compile them.
//!
//! The cache is an optimisation only: any failure (no folder, no permission, a full disk, a truncated file) is counted
//! and otherwise treated as a miss.
//!
//! Loaded images execute with the rights of this user, so they must be trustworthy: the folder is writable by this user
//! only, or it is not used at all; an image is named by the SHA-256 digest of everything that it was compiled from, and
//! its file contains a digest of the image.

use quasar_files::trust;
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, SystemTime};

/// Magic number of the file format.
const MAGIC: &[u8; 8] = b"QSRIMG02";
/// Header: magic, key, digest of the image, length.
const HEADER: usize = 8 + DIGEST + DIGEST + 8;
const DIGEST: usize = 32;
const ENDING: &str = "image";
const TEMPORARY: &str = "tmp";
/// A temporary file of this age belongs to a dead process.
const ABANDONED: Duration = Duration::from_secs(3600);

/// The key of an image: the SHA-256 digest of everything that it depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ImageKey([u8; DIGEST]);

impl ImageKey {
    /// The key of an image that depends on these parts, in this order.
    pub fn of(parts: &[&[u8]]) -> ImageKey {
        let mut digest = Sha256::new();
        for part in parts {
            // Length prefixes make the encoding of a list of parts unambiguous.
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        ImageKey(digest.finalize().into())
    }

    /// The key of an image that depends on one more part.
    #[must_use]
    pub fn with(self, part: &[u8]) -> ImageKey {
        ImageKey::of(&[&self.0, part])
    }

    /// Parses a key from the name of a cache file.
    pub fn from_file_name(path: &Path) -> Option<ImageKey> {
        let digits = path.file_stem()?.to_str()?;
        let mut key = [0; DIGEST];
        if digits.len() != 2 * DIGEST || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        for (byte, digits) in key.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        }
        Some(ImageKey(key))
    }
}

impl fmt::Display for ImageKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Statistics of the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImageCounts {
    /// Cache hits.
    pub hits: u64,
    /// Cache misses.
    pub misses: u64,
    /// Images written.
    pub stored: u64,
    /// Corrupt files, which are removed.
    pub broken: u64,
    /// Images evicted to stay below the size limit.
    pub removed: u64,
    /// Images that could not be written.
    pub failed: u64,
}

#[derive(Debug, Default)]
struct Counts {
    hits: AtomicU64,
    misses: AtomicU64,
    stored: AtomicU64,
    broken: AtomicU64,
    removed: AtomicU64,
    failed: AtomicU64,
}

/// The cache in one folder.
#[derive(Debug)]
pub struct ImageCache {
    folder: PathBuf,
    /// The parent folder of all caches, if this one is in it: it must be private too, since its owner could replace the
    /// folder.
    above: Option<PathBuf>,
    limit: u64,
    /// The reason why the folder is not used.
    refused: Option<String>,
    counts: Counts,
}

impl ImageCache {
    /// The cache of this user, limited to this many bytes; 0 disables it.
    pub fn standard(limit: u64) -> ImageCache {
        let above = trust::cache_folder();
        ImageCache::new(above.join("kernels"), Some(above), limit)
    }

    /// A cache in a folder, which is created on demand.
    pub fn in_folder(folder: impl Into<PathBuf>, limit: u64) -> ImageCache {
        ImageCache::new(folder.into(), None, limit)
    }

    fn new(folder: PathBuf, above: Option<PathBuf>, limit: u64) -> ImageCache {
        let mut cache = ImageCache { folder, above, limit, refused: None, counts: Counts::default() };
        if limit > 0 {
            let denied = |error: &io::Error| error.kind() == io::ErrorKind::PermissionDenied;
            cache.refused = cache.check().err().filter(denied).map(|error| error.to_string());
        }
        cache
    }

    /// Checks that only this user can modify the folder. Repeated each time, since another user may have created it.
    fn check(&self) -> io::Result<()> {
        self.above.as_deref().map_or(Ok(()), trust::check_private)?;
        trust::check_private(&self.folder)
    }

    /// The folder of the images; `None` if the cache is disabled.
    pub fn folder(&self) -> Option<&Path> {
        let kept = self.limit > 0 && self.refused.is_none();
        kept.then_some(self.folder.as_path())
    }

    /// The reason why the cache is disabled, if others could modify the folder.
    pub fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// The statistics.
    pub fn counts(&self) -> ImageCounts {
        let counts = &self.counts;
        ImageCounts {
            hits: counts.hits.load(Relaxed),
            misses: counts.misses.load(Relaxed),
            stored: counts.stored.load(Relaxed),
            broken: counts.broken.load(Relaxed),
            removed: counts.removed.load(Relaxed),
            failed: counts.failed.load(Relaxed),
        }
    }

    /// Loads the image of a key, if it is present and intact.
    pub fn load(&self, key: ImageKey) -> Option<Vec<u8>> {
        let path = self.path(key)?;
        let Some(mut file) = self.check().ok().and_then(|()| open(&path).ok()) else {
            self.counts.misses.fetch_add(1, Relaxed);
            return None;
        };
        let mut bytes = Vec::new();
        let image = match file.metadata() {
            Ok(data) if trust::is_private(&data) && file.read_to_end(&mut bytes).is_ok() => {
                unpack(key, bytes)
            }
            _ => None,
        };
        match &image {
            Some(_) => {
                self.counts.hits.fetch_add(1, Relaxed);
                // The modification time serves as last-use time for `shrink`; without permission to set it, it remains
                // the time of writing.
                let _ = file.set_modified(SystemTime::now());
            }
            None => {
                self.counts.broken.fetch_add(1, Relaxed);
                let _ = fs::remove_file(&path);
            }
        }
        image
    }

    /// Removes a loaded image that the device rejected.
    pub fn refuse(&self, key: ImageKey) {
        if let (Some(path), Ok(())) = (self.path(key), self.check()) {
            self.counts.broken.fetch_add(1, Relaxed);
            let _ = fs::remove_file(path);
        }
    }

    /// Stores an image, unless it is larger than the whole cache.
    pub fn store(&self, key: ImageKey, image: &[u8]) {
        let Some(path) = self.path(key) else { return };
        if (image.len() + HEADER) as u64 > self.limit {
            return;
        }
        let private = self.above.as_deref().map_or(Ok(()), trust::make_private);
        match private.and_then(|()| write(&path, key, image)) {
            Ok(()) => {
                self.counts.stored.fetch_add(1, Relaxed);
                self.shrink(&path);
            }
            Err(_) => {
                self.counts.failed.fetch_add(1, Relaxed);
            }
        }
    }

    fn path(&self, key: ImageKey) -> Option<PathBuf> {
        (self.limit > 0).then(|| self.folder.join(format!("{key}.{ENDING}")))
    }

    /// Evicts the least recently used images, but not the file just written, and removes files of dead processes.
    fn shrink(&self, written: &Path) {
        let Some(entries) = self.folder().and_then(|folder| fs::read_dir(folder).ok()) else { return };
        let now = SystemTime::now();
        let mut images = Vec::new();
        let mut total = 0;
        for entry in entries.flatten() {
            let Ok(data) = entry.metadata() else { continue };
            let path = entry.path();
            let used = data.modified().unwrap_or(now);
            match path.extension().and_then(|ending| ending.to_str()) {
                Some(ENDING) => {
                    total += data.len();
                    images.push((used, data.len(), path));
                }
                Some(TEMPORARY) if now.duration_since(used).is_ok_and(|age| age > ABANDONED) => {
                    let _ = fs::remove_file(path);
                }
                _ => {}
            }
        }
        images.sort();
        for (_, bytes, path) in images.into_iter().filter(|(_, _, path)| path != written) {
            if total <= self.limit {
                break;
            }
            if fs::remove_file(path).is_ok() {
                self.counts.removed.fetch_add(1, Relaxed);
            }
            total -= bytes;
        }
    }
}

/// Opens a file of the folder without following links.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, trust::NO_LINKS);
    options.open(path)
}

fn checksum(image: &[u8]) -> [u8; DIGEST] {
    Sha256::digest(image).into()
}

/// Validates the bytes of a file and returns the image.
fn unpack(key: ImageKey, mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let header = bytes.get(..HEADER)?;
    let (magic, header) = header.split_at_checked(MAGIC.len())?;
    let (named, header) = header.split_at_checked(DIGEST)?;
    let (sum, length) = header.split_first_chunk::<DIGEST>()?;
    let (sum, length) = (*sum, u64::from_le_bytes(length.try_into().ok()?));
    if magic != MAGIC || named != key.0 || length != (bytes.len() - HEADER) as u64 {
        return None;
    }
    bytes.drain(..HEADER);
    (checksum(&bytes) == sum).then_some(bytes)
}

/// Writes a temporary file and renames it when it is complete, so that readers never see a partial file.
fn write(path: &Path, key: ImageKey, image: &[u8]) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let folder = path.parent().unwrap_or(Path::new("."));
    trust::make_private(folder)?;
    let temporary =
        folder.join(format!("{}-{}.{TEMPORARY}", std::process::id(), COUNT.fetch_add(1, Relaxed)));
    let written = create(&temporary).and_then(|mut file| {
        file.write_all(MAGIC)?;
        file.write_all(&key.0)?;
        file.write_all(&checksum(image))?;
        file.write_all(&(image.len() as u64).to_le_bytes())?;
        file.write_all(image)
    });
    let done = written.and_then(|()| fs::rename(&temporary, path));
    if done.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    done
}

/// Creates a file that only this user can access.
fn create(path: &Path) -> io::Result<File> {
    // A process with the same id may have been killed while writing it.
    let _ = fs::remove_file(path);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that is removed with its contents.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("quasar-images-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            Folder(path)
        }

        fn files(&self) -> Vec<PathBuf> {
            let mut files: Vec<_> =
                fs::read_dir(&self.0).unwrap().flatten().map(|entry| entry.path()).collect();
            files.sort();
            files
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn keys_tell_parts_apart() {
        let keys = [
            ImageKey::of(&[b"ab", b"c"]),
            ImageKey::of(&[b"a", b"bc"]),
            ImageKey::of(&[b"abc"]),
            ImageKey::of(&[b"abc", b""]),
            ImageKey::of(&[]),
        ];
        for (k, a) in keys.iter().enumerate() {
            assert!(keys.iter().skip(k + 1).all(|b| a != b));
        }
        // The published test vector of SHA-256 for "abc".
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(ImageKey(checksum(b"abc")).to_string(), abc);
        assert_eq!(ImageKey::from_file_name(Path::new("x/ab.image")), None);
        let named = ImageKey::from_file_name(&Path::new("x").join(abc).with_extension("image"));
        assert_eq!(named, Some(ImageKey(checksum(b"abc"))));
        assert_eq!(ImageKey::from_file_name(Path::new(&"+".repeat(64))), None);
    }

    #[test]
    fn another_process_finds_what_one_stored() {
        let folder = Folder::new("found");
        let key = ImageKey::of(&[b"text"]);
        let first = ImageCache::in_folder(&folder.0, 1 << 20);
        assert_eq!(first.load(key), None);
        first.store(key, b"image");
        assert_eq!(first.counts(), ImageCounts { misses: 1, stored: 1, ..ImageCounts::default() });
        let second = ImageCache::in_folder(&folder.0, 1 << 20);
        assert_eq!(second.load(key).as_deref(), Some(&b"image"[..]));
        assert_eq!(second.load(ImageKey::of(&[b"other"])), None);
        assert_eq!(second.counts(), ImageCounts { hits: 1, misses: 1, ..ImageCounts::default() });
        assert_eq!(folder.files().len(), 1, "no temporary files are left");
    }

    #[test]
    fn broken_files_are_removed_and_written_again() {
        let folder = Folder::new("broken");
        let cache = ImageCache::in_folder(&folder.0, 1 << 20);
        let key = ImageKey::of(&[b"text"]);
        cache.store(key, b"a long enough image");
        let path = folder.files().remove(0);
        let good = fs::read(&path).unwrap();
        let mut cases: Vec<Vec<u8>> = (0..good.len()).map(|k| good[..k].to_vec()).collect();
        cases.extend((0..good.len()).map(|k| {
            let mut bytes = good.clone();
            bytes[k] ^= 0x10;
            bytes
        }));
        cases.push([&good[..], b"x"].concat());
        let count = cases.len() as u64;
        for bytes in cases {
            fs::write(&path, bytes).unwrap();
            assert_eq!(cache.load(key), None);
            assert!(!path.exists());
        }
        assert_eq!(cache.counts().broken, count);
        cache.store(key, b"new");
        assert_eq!(cache.load(key).as_deref(), Some(&b"new"[..]));
        cache.refuse(key);
        assert_eq!(cache.load(key), None);
    }

    #[test]
    #[cfg(unix)]
    fn what_others_could_have_put_there_is_not_loaded() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let set_mode =
            |path: &Path, mode| fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        let folder = Folder::new("planted");
        let key = ImageKey::of(&[b"text"]);
        let cache = ImageCache::in_folder(&folder.0, 1 << 20);
        cache.store(key, b"image");
        let (path, good) = (folder.files().remove(0), fs::read(&folder.files()[0]).unwrap());
        assert_eq!(fs::metadata(&folder.0).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        // A valid image, but one that others can modify.
        for mode in [0o666, 0o620, 0o602] {
            fs::write(&path, &good).unwrap();
            set_mode(&path, mode);
            assert_eq!(cache.load(key), None, "{mode:o}");
            assert!(!path.exists());
        }
        // A valid image behind a link.
        let elsewhere = folder.0.join("elsewhere");
        fs::write(&elsewhere, &good).unwrap();
        symlink(&elsewhere, &path).unwrap();
        assert_eq!(cache.load(key), None);
        cache.store(key, b"image");
        assert_eq!(cache.load(key).as_deref(), Some(&b"image"[..]));
        assert!(fs::symlink_metadata(&path).unwrap().is_file());
        // The folder itself, whether it was like that before or became it.
        for mode in [0o777, 0o1777, 0o770, 0o702] {
            set_mode(&folder.0, mode);
            let open = ImageCache::in_folder(&folder.0, 1 << 20);
            assert!(
                open.refused().is_some_and(|why| why.contains("can be written by other users")),
                "{mode:o}"
            );
            assert_eq!((open.folder(), open.load(key), cache.load(key)), (None, None, None));
            open.store(key, b"other");
            assert_eq!(open.counts(), ImageCounts { misses: 1, failed: 1, ..ImageCounts::default() });
        }
        set_mode(&folder.0, 0o700);
        assert_eq!(cache.load(key).as_deref(), Some(&b"image"[..]), "nothing was removed or written");
        let link = folder.0.with_extension("link");
        symlink(&folder.0, &link).unwrap();
        let linked = ImageCache::in_folder(&link, 1 << 20);
        assert!(linked.refused().is_some_and(|why| why.contains("is a link")));
        assert_eq!(linked.load(key), None);
        fs::remove_file(link).unwrap();
    }

    #[test]
    fn the_oldest_images_make_room() {
        let folder = Folder::new("limit");
        let cache = ImageCache::in_folder(&folder.0, 3 * (HEADER as u64 + 100));
        let keys: Vec<_> = (0..5u8).map(|k| ImageKey::of(&[&[k]])).collect();
        let old = SystemTime::now() - Duration::from_secs(7200);
        for (k, &key) in keys.iter().enumerate().take(3) {
            cache.store(key, &[0; 100]);
            let file = File::options().write(true).open(cache.path(key).unwrap()).unwrap();
            file.set_modified(old + Duration::from_secs(k as u64)).unwrap();
        }
        assert_eq!(cache.counts().removed, 0);
        assert!(cache.load(keys[0]).is_some(), "using an image makes it young");
        let left_behind = folder.0.join("1-1.tmp");
        let file = File::create(&left_behind).unwrap();
        file.set_modified(old).unwrap();
        cache.store(keys[3], &[0; 100]);
        assert!(!left_behind.exists());
        assert_eq!(cache.counts().removed, 1);
        assert!(cache.load(keys[1]).is_none());
        assert!([0, 2, 3].iter().all(|&k| cache.load(keys[k]).is_some()));
        cache.store(keys[4], &[0; 1000]);
        assert!(cache.load(keys[4]).is_none(), "larger than the cache");
    }

    #[test]
    fn a_cache_without_a_folder_only_counts() {
        let folder = Folder::new("file");
        fs::write(&folder.0, "not a folder").unwrap();
        let cache = ImageCache::in_folder(&folder.0, 1 << 20);
        let key = ImageKey::of(&[b"text"]);
        cache.store(key, b"image");
        assert_eq!(cache.load(key), None);
        assert_eq!(cache.counts(), ImageCounts { failed: 1, misses: 1, ..ImageCounts::default() });
        fs::remove_file(&folder.0).unwrap();
        let off = ImageCache::in_folder(&folder.0, 0);
        off.store(key, b"image");
        assert_eq!((off.load(key), off.counts()), (None, ImageCounts::default()));
        assert!(!folder.0.exists());
    }
}
